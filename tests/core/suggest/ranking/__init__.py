"""Tests of the ranker."""
