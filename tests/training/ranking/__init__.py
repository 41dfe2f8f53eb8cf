"""Tests of fitting the ranker."""
