"""Routes that only codes of encounters have."""
