"""Suggestions of a model, corrected by what was decided since it was trained.

- `candidates`: what a model suggested, beside what finished documents say;
- `suggester`: what suggests, and learns.
"""
