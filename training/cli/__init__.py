"""The commands of `python -m training`, by what they are for."""
