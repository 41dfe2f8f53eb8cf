"""What leaves Strata."""
