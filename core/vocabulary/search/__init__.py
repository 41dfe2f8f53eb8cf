"""Search in a vocabulary as a person types.

Reading order: `stems` (words as they are compared), `coverage` (which labels say them), `index_file`
(the SQLite file), `hits` (what is found, and why), `label_rows` (labels by what they begin with),
`everyday` (names that labels do not have), `spelling` (typing errors), `vocabulary_index` (queries
and their hits).
"""
