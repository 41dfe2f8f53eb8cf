"""What Strata knows: vocabularies, documents, models, suggestions, decisions, exports and metrics."""

__version__ = "0.1.0.dev0"
