"""Readers of file formats; they run in the process of `core.documents.worker`.

Reading order: `blocks` (what readers share), then a format a module: `word`, `open_document`,
`pdf`, and `html` with the acts of EUR-Lex.
"""
