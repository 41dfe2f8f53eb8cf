"""Vocabularies: concepts, their hierarchy and labels, and the files that they are read from.

Reading order: `concepts` (a concept, the hierarchy) with `links`; `conventions` (the rules of a
code system); `labels` (concepts as columns of a model); `folding` and `records` (text and JSON
forms); `repairs` (what a reader mends), `reading` (what it takes and returns), `packing` (packed
files); `readers` (the registry) over `skos/` and `codes/`, which run in `worker`, started by
`bounded`; `search/` (the index that people search); `versions/` (what was imported, kept and
compared); `report` (the command line).
"""
