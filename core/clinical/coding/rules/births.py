"""Pregnancy, delivery and newborn: the codes that go with each other.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.21.c.11 (weeks of gestation: not
with abortive outcomes or conditions after birth), I.C.15.b.5 and I.C.15.n (outcome of delivery),
I.C.15.a.1 (codes of chapter 15 come first, as for infections of the urinary tract, O23).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.coding.findings import WARNING, CheckedCodes, Finding, Remedy
from core.clinical.names.tables import patterns

WEEKS, OUTCOME, AFTER_BIRTH = "Z3A", "Z37", "Z39"
WEEKS_SOURCE, OUTCOME_SOURCE = "Guidelines I.C.21.c.11", "Guidelines I.C.15.b.5"
INFECTION, INFECTION_SOURCE = "O23", "Guidelines I.C.15.a.1"
OF_URINARY_TRACT = ("N10", "N12", "N30", "N34", "N39.0")
HAS_INFECTION = (INFECTION, "O03", "O04", "O07", "O08", "O86")
NORMAL, LIVE_BIRTH = "O80", "Z37.0"
PREGNANT = ("O", "Z33", "Z34", "Z36")
NO_WEEKS = patterns("coding", "without weeks of gestation")
DELIVERED = ("O60.1", "O60.2", "O70", NORMAL, "O82")
_DELIVERY = re.compile(r"complicating childbirth|in childbirth|^labor and delivery complicated")
_AFTER = re.compile(r"\b(?:puerperium|lactation|following delivery)$")


def births(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield pregnancies without weeks, weeks without pregnancy, deliveries without outcome."""
    weeks = checked.beginning(WEEKS)
    pregnancies = [code for code in checked.beginning("O") if _has_weeks(code, checked)]
    if pregnancies and not weeks:
        sentence = f"{pregnancies[0]} goes with a code of the weeks of gestation (Z3A), if known."
        yield _finding("weeks", sentence, (pregnancies[0],), WEEKS_SOURCE, WEEKS)
    if weeks and not checked.beginning(*PREGNANT):
        sentence = f"{weeks[0]} goes with a code of the pregnancy (O09-O9A), and there is none."
        yield Finding("weeks", WARNING, sentence, (weeks[0],), source=WEEKS_SOURCE)
    infections = checked.beginning(*OF_URINARY_TRACT)
    if infections and pregnancies and not checked.beginning(*HAS_INFECTION):
        sentence = f"{infections[0]} of a pregnancy goes with a code of {INFECTION}."
        yield _finding("infection", sentence, (infections[0],), INFECTION_SOURCE, INFECTION)
    delivered = [code for code in checked.beginning("O") if _is_delivery(code, checked)]
    if delivered and not checked.beginning(OUTCOME, AFTER_BIRTH):
        sentence = f"{delivered[0]} goes with the outcome of the delivery (Z37)."
        instead = LIVE_BIRTH if NORMAL in delivered else OUTCOME
        yield _finding("outcome", sentence, tuple(delivered), OUTCOME_SOURCE, instead)


def _finding(kind: str, sentence: str, codes: tuple[str, ...], source: str, add: str) -> Finding:
    words = f"Add {add}" if "." in add else f"Choose a code of {add}"
    return Finding(kind, WARNING, sentence, codes, source=source, remedy=Remedy(words, add=(add,)))


def _has_weeks(code: str, checked: CheckedCodes) -> bool:
    return not code.startswith(NO_WEEKS) and not _AFTER.search(checked.label(code))


def _is_delivery(code: str, checked: CheckedCodes) -> bool:
    label = checked.label(code)
    return code.startswith(DELIVERED) or bool(_DELIVERY.search(label))
