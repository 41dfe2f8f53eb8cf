"""Acts that are fetched by CELEX number or address, where the administrator allows it.

Reading order: `policy` (the hosts and network addresses that may be asked), `addresses` (where an act
stands that somebody names), `streams` (connections that are made to a checked address, and end in
time), `download` (one answer, bounded in size and time), `reading` (lines as documents).
"""
