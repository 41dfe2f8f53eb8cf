"""What clinical coders work by: the rules of a code system, and what is checked before finishing.

Reading order: `findings` (what a check finds, and the codes that it looks at), `instructions` (what
ICD-10-CM says at a code), `titles` (what titles say besides each other), `published` (lists of
Medicare), `rules` (a file for each topic), `registry` (which rules there are), `validity` (the
whole check of an encounter).
"""
