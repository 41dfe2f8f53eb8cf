"""What Strata knows: vocabularies, documents, models, suggestions, decisions, exports and metrics."""
