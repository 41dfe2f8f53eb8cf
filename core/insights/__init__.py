"""What a model is good at and where it errs: figures from scores and from what people assigned.

Everything here is numbers and labels of the vocabulary; no text of a document is kept. NumPy and
SciPy only, so that a page can read the figures without the model. Every value that has nothing to
measure is None.

In reading order: `judged` (scores beside what people assigned), `groups`, `confusion` and
`reliability` (what is measured on them), `report` (all of it in one file), `decisions` (the same of
one's own documents).
"""
