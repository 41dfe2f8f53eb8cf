"""One reader a corpus."""
