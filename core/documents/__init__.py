"""Documents as they are indexed, and how they come in."""
