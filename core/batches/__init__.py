"""Suggesting for inputs of any length, in parts: by one process, or by the workers of a Ray cluster.

Reading order: `places` (files and object stores), `reading` (documents of an input, and where each
stands), `parts` (the unit of work), `results` (what is written of a part), `record` (how far a run
is), `chosen` (what suggests), `engines` (who computes), `ray_engine`, `run`.
"""
