"""The rules of the check, a file for each topic; `core.clinical.coding.registry` lists them.

A rule takes the checked codes and yields findings. To add one, write a file here, a line in the
registry and a test.
"""
