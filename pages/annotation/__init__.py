"""The parts of the Annotate page: the open document, the sidebar, similar documents."""
