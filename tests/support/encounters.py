"""An invented encounter, as rows and as files."""

from __future__ import annotations

import json

SUMMARY = "Chief complaint: cough.\nFamily history: none.\n"  # invented


ROW = {
    "id": "E1",
    "title": "Cough of a week",
    "notes": [
        {"kind": "Admission note", "date": "2026-03-01", "text": SUMMARY},
        {
            "kind": "Radiology report",
            "date": "2026-03-02T10:00",
            "title": "Chest",
            "text": "Clear.",
        },
    ],
    "codes": ["R05.9"],
}


def jsonl(*rows: object) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()
