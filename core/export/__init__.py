"""Decisions as files.

Reading order: `selection` (what is exported), `gathering` (from the store), `naming` (concepts by
URI, label and path), `content` (what a format is given), then a format a module: `tables`, `jsonl`,
`fhir` with `encounters`; `formats` (their registry), `export` (the file, and its preview).
"""
