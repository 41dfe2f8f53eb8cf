"""How fast, how large, how faithful: commands that measure."""
