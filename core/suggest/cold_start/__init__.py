"""Suggestions for a vocabulary that no model has learned: from labels in the text, and from what
people decided here.

`candidates` finds concepts and describes them, and `suggester` orders them by weights that were
learned on another vocabulary.
"""
