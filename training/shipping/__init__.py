"""From a finished run to a bundle."""
