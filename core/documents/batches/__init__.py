"""Batches: many documents in one file, which a person looks at before they are taken in.

Reading order: `document_batch` (a file, its columns and its documents), `assigned_concepts` (the
concepts that came with a document), `packed_documents` (a ZIP), `batch` (opening a file, and its
documents one at a time).
"""
