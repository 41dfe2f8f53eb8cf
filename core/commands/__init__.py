"""For the one who runs Strata: a module for each command that looks after an installation."""
