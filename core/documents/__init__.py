"""Documents: from a pasted text, a file, a table or a ZIP to a `Document`.

Reading order: `document` (the document and its parts), `structure` and `plain_text` (its text),
`language`; `kinds` and `archives` (the kind of a file), `intake` and `uploads` (one file) with
`worker` and `readers/` (PDF, Word, HTML … in a process of their own); `rows/` (tables, JSON),
`batches/` (many documents in one file), `fetching/` (acts by CELEX number or address), `inputs`
(files and folders of the command line). Encounters and their notes are in `core.clinical`.
"""
