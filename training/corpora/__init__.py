"""Corpora as labelled documents in splits: how they are read, and what is drawn from them."""
