"""From a finished run to a bundle, or to a submission."""
