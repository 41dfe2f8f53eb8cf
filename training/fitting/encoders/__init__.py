"""How an encoder is made: a network, a deeper encoder, one that knows the texts of a domain."""
