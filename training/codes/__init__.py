"""Codes of clinical notes as they are served: what ranks them, and how good that is.

Reading order: `fitting` (a ranker of a bundle), `bundles` (predictions of models that have not
learned what they read), `served` (figures), `page`.
"""
