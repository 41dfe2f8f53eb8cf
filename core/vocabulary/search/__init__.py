"""Search in a vocabulary as a person types.

Reading order: `index_file` (the SQLite file), `spelling` (typing errors), `vocabulary_index`
(queries and their hits).
"""
