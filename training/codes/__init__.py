"""Codes of clinical notes as they are served: what ranks them, and how good that is.

Reading order: `served` (figures and their page), `fitting` (a ranker of a bundle, fold by fold);
`assertion_lines`, `assertion_networks`, `assertions` (what is asserted of a condition).
"""
