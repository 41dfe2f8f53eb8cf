"""Several people on one server, each in a browser of their own."""
