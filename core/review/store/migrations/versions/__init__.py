"""One file a change of the tables, applied in order."""
