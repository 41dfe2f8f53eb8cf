"""The guided classifier and the bundle that carries it."""
