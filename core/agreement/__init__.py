"""How far people agree who annotated the same documents, and how far they follow the model.

Pure computation: annotations in, figures out; a figure that has nothing to measure gives a reason.

In reading order: `annotations` (documents that several people annotated, as matrices), `figures`
(agreement with intervals, by pair, branch, level, week and concept), `suggested` (of each annotator
with the model), `codes` (what a second coder has otherwise in an encounter, and the audit table).
"""
