"""Documents, suggestions and decisions in a database, and what is read from it.

In reading order: `store` (the database and its rows), `decisions` (what people decide), `annotations` (of one
document by several), `people` (who they are, and what they may), `audit` (what they did), `listed` (which
documents count), `reports` (what screens and exports read), `hints` (what is pointed out before a document is
finished), `jobs` (what runs in the background), `keys` (of the workbench), `guidance` (guidelines, and notes on
concepts), `erasure` (what goes for good), `plain_letters` (what a search of titles compares),
`shared_writes` (transactions that several threads share).
"""
