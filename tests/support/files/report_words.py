"""Words of invented radiology reports."""

from __future__ import annotations

WORDS = {
    "486": "fish in the bay",
    "493.90": "honey on the label",
    "599.0": "railway and the ticket",
    "786.2": "tax on the bank",
}
