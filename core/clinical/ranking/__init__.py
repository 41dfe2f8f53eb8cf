"""Codes for a note: names in the text and a model's codes, ranked and calibrated together.

Reading order: `denied` (what a note says is not so), `known` (what training texts say of each
code), `features`, `suggester`, `explanation`, `familiar` (whether a note looks like those that a
model has learned from). What is a rule of coding stays is in `core.clinical.stays`.
"""
