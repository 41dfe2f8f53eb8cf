"""Why a concept is suggested, in passages of the document.

Reading order: `spans` (places, passages and evidence, and the words that scores are counted in),
`passages` (from a score a word to phrases), `explanation` (one document, explained) and
`explanation_cache`. Each word's part in a suggester's logits stands with the suggester, in
`core.suggest.guided` and `linear`.
"""
