"""Batches: many documents in one file, which a person looks at before they are taken in.

Reading order: `document_batch` (a file, its columns and its documents), `assigned_concepts` (the
concepts that came with a document), `batch` (opening a file or a ZIP, and its documents one at a
time).
"""
