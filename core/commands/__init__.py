"""Commands that look after an installation, a module for each.

Reading order: `backup`, `restore` (the way back from it), `migrate` (to another database), `doctor`
(whether all is in order).
"""
