"""Why a concept is suggested, in passages of the document.

In reading order: `spans` (places, passages and evidence), `words` (what scores are counted in),
`guided_words`, `sequence_words` and `linear_words` (each word's part in a score), `passages` (from
a score a word to phrases), `explanation` (one document, explained).
"""
