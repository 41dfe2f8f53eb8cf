"""Suggestions for a vocabulary that no model has learned: from labels in the text, and from what
people decided here.

`reading` is what is in a text, `finished` finds candidates in the light of finished documents, and
`suggester` orders them by weights that were learned on another vocabulary.
"""
