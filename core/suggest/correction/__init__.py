"""Suggestions of a model, corrected by what was decided since it was trained.

- `candidates`: what a model suggested, beside what finished documents say, and how right that is;
- `suggester`: what suggests, and learns.
"""
