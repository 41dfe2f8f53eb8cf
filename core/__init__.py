"""Vocabularies, documents, models, suggestions, decisions, exports and metrics, without pages."""

__version__ = "0.1.0.dev0"
