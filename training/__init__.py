"""Training and comparing models; serving needs nothing from here."""
