"""Suggestions of a model, corrected by what was decided since it was trained.

- `probabilities`: how model and correction are joined, and calibrated where they serve;
- `bundled`: what a retrained bundle holds beside its model;
- `suggester`: what suggests, learns and explains.
"""
