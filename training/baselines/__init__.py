"""Linear models over TF-IDF, and trees of them."""
