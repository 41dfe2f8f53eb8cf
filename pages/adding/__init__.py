"""The parts of an empty Annotate page: how documents are added, one by one or in a batch."""
