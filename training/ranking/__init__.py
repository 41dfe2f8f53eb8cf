"""Fits the ranker: what training documents say, candidates of documents that no member has seen."""
