"""Rules of stays for conditions that a note says in other words than their names."""
