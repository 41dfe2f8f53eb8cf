"""Rights of people, route by route."""
