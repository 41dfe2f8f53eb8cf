"""What computes a model's logits: `protocol` says what is asked of a back-end, `torch` is one.

A further back-end is a file here and a line in `core.suggest.registry`.
"""
