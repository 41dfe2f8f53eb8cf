"""Readers of file formats, one a module; they run in the worker of `core.documents.uploads`."""
