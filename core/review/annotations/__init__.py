"""Documents that two people annotate without seeing each other's decisions, and what becomes of it.

An annotation is a row of `document` that names the document and its annotator; decisions, finish,
undo, hints and suggestions are those of any document. `core.review.listed` says in which
queries such rows are.

In reading order: `asking` (a document is to be annotated twice, or once again), `access` (who sees
a document and its annotations, and who decides there), `sides` (both annotations beside each other,
for who adjudicates), `annotated` (finished annotations, for figures of agreement and as a file).
"""
