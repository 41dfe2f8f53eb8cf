"""The rules of the check, a file for each topic.

A rule takes the checked codes and yields findings. To add one, write a file here, a line in
`core/clinical/validity.py`, and its cases in `tests/core/clinical/coding/rules/cases.tsv`.
"""
