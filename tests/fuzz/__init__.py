"""Files of every format with parts changed at random: refused in a sentence, or read."""
