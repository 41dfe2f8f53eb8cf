"""Decisions as files.

Reading order: `gathering` (what is exported, from the store), `content` (what a format is given,
concepts by URI, label and path), then a format a module: `decision_table`, `subject_table` and
`history` (tables of columns, written by `tables`), `jsonl`, `jsonld`, `marc`, and those of
encounters in `core.clinical.formats`; `formats` (their registry), `export` (a file of any format, and its preview).
"""
