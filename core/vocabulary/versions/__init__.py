"""Imported vocabularies in the home folder.

Reading order: `columnar` (concepts in a file), `identity` (of which vocabulary an import is a
version), `vocabulary_versions` (all that were imported),
`keeping` (adding one with its indexes), `importing` (the same in the background), `comparison` (the
differences between two versions).
"""
