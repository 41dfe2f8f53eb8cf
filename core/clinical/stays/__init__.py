"""What a coder of a hospital stay makes of a note, beside the names of codes that stand in it.

Each rule is a file with its source in the guidelines. In reading order: `note` (what a rule
reads, and what it finds), `numbers`, `cancers`, `strokes`, `births`, `detail`, `drugs`, `places`,
`beside` (what is not coded beside another code) and `rules`, which applies them.
"""
