"""Rows of tables and JSON files, for the page, the command line and corpora alike.

Reading order: `records` (a row, a bad line, and the readers of CSV and JSON).
"""
