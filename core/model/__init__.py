"""Model definitions, and the bundle that carries them; training and serving use the same.

In reading order: `plans` (level → layers), `guided` (the classifier), `label_embeddings` (labels
inside self-attention), `label_wise` (a head), `token_terms` (logits taken apart),
`networks` (small encoders), `terms` and `sparse_linear` (the linear classifier), `precision` (fp32
or bf16), `bundle` (the folder on disk).
"""
