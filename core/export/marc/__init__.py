"""Subjects in the records of library catalogues: MARC 21 and MARCXML.

Reading order: `fields` (a subject as a field, and a file's bytes), `new_records` (the two formats
of exports), `records` (what a file from outside holds, and subjects written into it), `worker` (the
process that reads such a file), `updating` (a file, matched with the documents of a project).
"""
