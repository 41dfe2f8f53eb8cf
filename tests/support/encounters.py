"""An invented encounter, as rows and as files."""

from __future__ import annotations

import io
import json
import zipfile

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


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()
