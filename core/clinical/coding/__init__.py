"""The rules of coders: `findings` (what a rule finds), `titles` (what titles say besides each other),
`published` (lists of Medicare), `rules` (a file for each topic, listed in `core.clinical.validity`).
"""
