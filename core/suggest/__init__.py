"""From a document to suggestions."""
