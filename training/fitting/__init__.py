"""From a configuration to trained weights: the loop, its inputs, its losses."""
