"""Documents, suggestions and decisions in the store."""
