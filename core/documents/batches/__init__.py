"""Batches: many documents in one file, which a person looks at before they are taken in.

Reading order: `columns` (which column holds what), `assigned_concepts` (the concepts that came
with a document), `batch` (a table or ZIP as documents).
"""
