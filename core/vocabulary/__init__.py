"""Vocabularies: concepts, their hierarchy and labels, and the files that they are read from.

Reading order: `concepts` (a concept, the hierarchy) with `links`; `conventions` (which rules a
vocabulary has); `labels` (concepts as columns of a model); `folding` and `records` (text and JSON
forms); `repairs` (what a reader mends), `reading` (what it takes and returns, and what code systems
add), `packing` (packed files); `readers` (the registry) over `skos/` and those of `core.clinical`, which run in `worker`,
started by `bounded`; `search/` (the index that people search); `versions/` (what was imported, kept and
compared); `report` (the command line).
"""
