"""Rows of tables and JSON files, read alike by the page, the command line and corpora.

Reading order: `records` (a row, and a bad line), `encoding` (UTF-8, UTF-16 or Windows-1252),
`delimited` (CSV and TSV), `json_rows` (JSON Lines and arrays), `files` (the registry of formats),
`row_documents` (a row as a document), `spreadsheet_cells` and `exported` (what Strata has exported,
read back).
"""
