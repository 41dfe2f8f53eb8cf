"""The rules of coders: `instructions` (what ICD-10-CM says at a code), `titles` (what titles say
besides each other), `published` (lists of Medicare), `rules` (a file for each topic).
"""
