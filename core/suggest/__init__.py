"""From a document to suggestions.

In reading order: `suggestions` (what is suggested), `protocol` (what a suggester is), `windows`
(how an encoder reads a document), `backends` (what computes logits), `calibration` (from logits to
probabilities), `branches` (scores of all labels, and probabilities along the tree),
`codes` (what is asked for names of codes), `label_suggester` (what all suggesters of a label space
share), `guided` and `linear` (two of them), `fusion` (weights of a mean), `ensemble` (suggesters made of suggesters), `ranking` (candidates,
features and the ranker), `cold_start` (without a model), `correction` (by what was decided), `elsewhere` (on
another machine), `evidence` (why), `related` (what a model suggests for a query), `registry` (which there are), `opening`
(what suggests for a project), `remote` (models in a process of their own), `similar` (documents that read
alike). Names of codes in a text are in `core.clinical`.
"""
