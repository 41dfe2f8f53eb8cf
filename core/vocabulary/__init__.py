"""Vocabularies: concepts, their hierarchy, and the label space that a model learns."""
