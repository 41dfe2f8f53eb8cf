"""Measures the workbench in Chromium: `python -m tests.bench`; pytest does not collect it."""
