"""The version of Strata, which app, commands, API and bundles show."""

__version__ = "1.0.0"
"""Stated here alone; tests/project/test_version.py names the files that repeat it."""
