"""What is read from the store for screens and exports.

In reading order: `summaries` (the document list), `document_state`, `outline` (its
tree), `usage` (of concepts), `snapshot` (what export reads).
"""
