"""Why a concept is suggested, in passages of the document.

In reading order: `spans` (places, passages and evidence), `words` (what scores are counted in),
`guided_words` and `linear_words` (each word's part in a suggester's logits), `passages` (from a
score a word to phrases) and `explanation` (one document, explained).
"""
