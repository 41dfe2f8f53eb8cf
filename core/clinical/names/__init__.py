"""Names of codes in a text, and what is asserted of them.

In reading order: `clinical_words` (how words are compared), `wordings` (how a label may be
said), `index` (which concepts each wording stands for, in a file),
`matcher` (names in a text), `cues` and `assertions` (whether a note affirms them),
`past_conditions` (what is over), `mentions` (how often such a name is right) and `suggester`.
"""
