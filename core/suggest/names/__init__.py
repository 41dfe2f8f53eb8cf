"""Names of codes in a text, and what is asserted of them.

In reading order: `clinical_words` (how words are compared), `everyday` and `wordings` (how a label
may be said), `label_names` (which concepts a wording stands for), `index` (all wordings in a file),
`matcher` (names in a text), `cues` and `assertions` (whether a note affirms them),
`past_conditions` (what is over), `mentions` (how often such a name is right) and `suggester`.
"""
