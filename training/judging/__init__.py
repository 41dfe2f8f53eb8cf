"""From scores to result rows, and rows beside each other."""
