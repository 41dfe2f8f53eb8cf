"""Rows of results as tables and figures, and the tables as parts of the documentation."""
