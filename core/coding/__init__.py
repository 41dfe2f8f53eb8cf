"""The trade of clinical coders: which rules a code system has, and what is checked before finishing."""
