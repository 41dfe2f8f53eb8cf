"""Batches: many documents in one file, which a person looks at before they are taken in.

Reading order: `columns` (which column holds what), `assigned_concepts` (the concepts that came
with a document), `document_batch` (the file and its documents), `packed_documents` (a ZIP), `batch`
(opening a file, and its documents one at a time).
"""
