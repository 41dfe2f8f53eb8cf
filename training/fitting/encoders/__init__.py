"""How an encoder is made: trained on, made deeper, or its word vectors made smaller."""
