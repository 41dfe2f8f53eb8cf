"""Questions that take several runs, or a look inside a model."""
