"""The database: what is kept of projects, documents, suggestions and decisions.

In reading order: `tables` (the schema), `store` (open, read, write, close), `database` (engine and
migrations), then the rows, one module a table: `projects`, `people`, `rules`,
`documents`, `arrivals`, `predictions`, `proposed_terms`; last `backup` and `backup_file` (one file
with everything), `schema`, `copying` and `restore` (the way back from it).
"""
