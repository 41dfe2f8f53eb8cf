"""Suggestions for a vocabulary that no model has learned: from labels in the text, and from what
people decided here.

`finished` reads documents and finds candidates in the light of finished ones, and
`suggester` orders them by weights that were learned on another vocabulary.
"""
