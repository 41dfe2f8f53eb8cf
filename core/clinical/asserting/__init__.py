"""What a note asserts of what it mentions: the inside of `core.clinical.assertions`.

Reading order: `cues` (words that say that something is not so, was, may be, or is so in the family),
`check_boxes`, `retractions` (what is taken back), `network` (what was learned of other wordings) and
`opinions` (rules and network together, of the names of codes).
"""
