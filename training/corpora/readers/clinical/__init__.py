"""Readers of clinical corpora, whose labels are codes."""
