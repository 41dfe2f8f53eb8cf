"""What exports hold that no spreadsheet may run, and how tests read it back."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from typing import Any

from core.documents.document import Part
from core.vocabulary.concepts import Concept, Hierarchy

ODD_TITLES = [
    'Olives, "extra virgin"; with\nbreaks\r\nand\ttabs',
    "Ölivenöl – prix d’achat, Ελλάδα, 橄榄油 🫒",
    " spaces around ",
    "'quoted'",
    "1e5",
    "NA",
    "",
]


FORMULAS = ["=1+1", "+49 30", "-5", "@SUM(A1)", "\t=1", "\r=1", " =cmd|' /C calc'!A0", "＝1+1"]


HIERARCHY = Hierarchy(
    [
        Concept("food", "http://x/food", "10", {"en": "food", "de": "Lebensmittel"}),
        Concept("trade", "http://x/trade", None, {"en": "trade"}),
        Concept("oil", "http://x/oil", "-7", {"en": "olive, oil"}, broader=("food", "trade")),
        Concept("sum", "http://x/sum", None, {"en": "=SUM(A1)"}, broader=("food",)),
        Concept("old", "http://x/old", None, {"en": "old term"}, deprecated=True),
    ],
    vocabulary_id="tiny",
    version="2",
)


def table(content: bytes, separator: str = ",") -> list[dict[str, str]]:
    file = io.StringIO(content.decode("utf-8-sig"), newline="")
    return list(csv.DictReader(file, delimiter=separator))


def lines(content: bytes) -> list[dict[str, Any]]:
    assert content.endswith(b"\n") or not content
    return [json.loads(line) for line in content.decode().splitlines()]


NOTES = (
    Part("Cough for three days.", "Discharge summary", date(2026, 2, 4)),
    Part("Lungs clear.", "Radiology", date(2026, 2, 2)),
)


CODES_9 = (
    ("780-789.99", "Symptoms", (), False),
    ("786", "Symptoms of the chest", ("780-789.99",), False),
    ("786.2", "Cough", ("786",), True),
    ("991.5", "Chilblains", (), True),
    ("99", "Other procedures", (), False),
    ("99.15", "Parenteral nutrition", ("99",), True),
)


def codes(vocabulary_id: str = "icd9cm", version: str = "v32") -> Hierarchy:
    return Hierarchy(
        (
            Concept(code, f"http://x/{code}", code, {"en": label}, broader=above, assignable=leaf)
            for code, label, above, leaf in CODES_9
        ),
        vocabulary_id=vocabulary_id,
        version=version,
    )
