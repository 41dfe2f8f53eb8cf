"""Corpora as labelled documents in splits, and what is drawn from them."""
