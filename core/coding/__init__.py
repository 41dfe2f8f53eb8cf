"""What clinical coders work by: the rules of a code system, and what is checked before finishing.

Reading order: `findings` (what a check finds, and the codes that it looks at), `instructions` (what
ICD-10-CM says at a code), `pairs` (codes that exclude or ask for each other), `combinations`, `redundancy` and `order` (rules of the guidelines for pairs), `validity` (the whole
check of an encounter).
"""
