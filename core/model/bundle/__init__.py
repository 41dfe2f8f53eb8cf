"""The bundle: a folder with everything that serving a model needs, and no pickle in it.

In reading order: `manifest` (bundle.json), `compression` (a data type per tensor), `shared_parts`
(files that several bundles use), `bundle` (saving and loading), `cards` (what a page shows of a
bundle without loading it), `hub_card` and `hub` (bundles that travel).
"""
