"""Names of codes in a text, and what is said of them.

Reading order: `tables` (words, cues and codes that coders may correct), `clinical_words` (how words
are compared) with `shorthand` and `metastases`, `wordings` (how a label may be said), `index` (which
concepts each wording stands for, in a file), `matcher` (names in a text), `past_conditions` (what is
over), `mentions` (how often such a name is right, and what the note asserts of it), `explanation`;
`label_words` (the same words for the search).
"""
