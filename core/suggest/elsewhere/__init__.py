"""A suggester on another machine, as one more member beside those of a project; off by default.

Reading order: `choice` (what a project asks, and whom an administrator allows), `asking` (one
answer, bounded in size and time), `endpoints` (the two kinds: Annif, and language models),
`known_concepts` (answers as concepts of the vocabulary), `member` (asked beside the others, and left
out where it fails), `suggester` (all joined).
"""
