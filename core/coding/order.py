"""Which code stands first, and which ones go together: births, treatments, injuries.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, FY 2020: weeks of gestation
I.C.21.c.11, outcome of delivery I.C.15.b.5, newborn I.C.16.a.2, treatment of a cancer I.C.2.e.2,
poisoning I.C.19.e.5.b, sequela I.B.10, external causes I.C.20.a.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.coding.findings import NOTE, WARNING, Finding
from core.vocabulary.concepts import Hierarchy

WEEKS, OUTCOME, BORN = "Z3A", "Z37", "Z38"
DELIVERY = ("O70", "O80", "O82", "O60.1", "O60.2")
CHILDBIRTH = "complicating childbirth"
WITHOUT_WEEKS = ("O00", "O01", "O02", "O03", "O04", "O07", "O08", "O09", "O85", "O86", "O9A")
FIRST = {"Z51.11": "I.C.2.e.2", "Z51.12": "I.C.2.e.2", "Z51.0": "I.C.2.e.2", BORN: "I.C.16.a.2"}
POISONS, INTENT, ADVERSE = ("T36", "T50"), 5, ("5", "6")
INJURIES = ("S", "T20", "T21", "T22", "T23", "T24", "T25")
CAUSES = ("V", "W", "X", "Y")
SEQUELA = "S"


def order_of(codes: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    """Yield what stands in the wrong place, and what misses the code that goes with it.

    Args:
        codes: diagnoses in their order.
    """
    yield from _births(codes, hierarchy)
    for place, code in enumerate(codes):
        source = next((where for first, where in FIRST.items() if code.startswith(first)), "")
        if place and source:
            words = f"{code} stands first in an encounter for it, before {codes[0]}."
            yield Finding("first", WARNING, words, (code, codes[0]), "", source)
    late = codes[1:]
    poison = next((code for code in late if _is_poisoning(code)), "")
    if poison and not _is_poisoning(codes[0]) and codes[0][0] not in "ST":
        words = f"A poisoning stands before what it has caused: {poison} before {codes[0]}."
        yield Finding("poisoning", WARNING, words, (poison, codes[0]), "", "I.C.19.e.5.b")
    if late and _is_sequela(codes[0]) and not _is_sequela(late[0]):
        words = f"What is left of an injury stands before it: {late[0]} before {codes[0]}."
        yield Finding("sequela", WARNING, words, (codes[0], late[0]), "", "I.B.10")
    hurt = next((one for one in codes if one.startswith(INJURIES) and one.endswith("A")), "")
    if hurt and not any(code.startswith(CAUSES) for code in codes):
        words = f"{hurt} may have a code of how and where it came about."
        yield Finding("cause", NOTE, words, (hurt,), "", "I.C.20.a")


def _births(codes: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    """Yield what is missing beside a pregnancy or a delivery."""
    pregnancy = next(
        (code for code in codes if code[0] == "O" and not code.startswith(WITHOUT_WEEKS)), ""
    )
    weeks = next((code for code in codes if code.startswith(WEEKS)), "")
    if pregnancy and not weeks:
        words = f"{pregnancy} goes with a code of the weeks of gestation (Z3A)."
        yield Finding("weeks", WARNING, words, (pregnancy,), "", "I.C.21.c.11")
    if weeks and not any(code[0] == "O" for code in codes):
        words = f"{weeks} goes with a code of the pregnancy (O00-O9A), and there is none."
        yield Finding("weeks", WARNING, words, (weeks,), "", "I.C.21.c.11")
    delivery = next((code for code in codes if _is_delivery(code, hierarchy)), "")
    if delivery and not any(code.startswith(OUTCOME) for code in codes):
        words = f"{delivery} goes with the outcome of the delivery (Z37)."
        add = ("Z37.0",) if delivery == "O80" else ()
        yield Finding("outcome", WARNING, words, (delivery,), "", "I.C.15.b.5", (), add)


def _is_delivery(code: str, hierarchy: Hierarchy) -> bool:
    """Return whether a code is one of a delivery, by its beginning or its title."""
    if code.startswith(DELIVERY):
        return True
    return code[0] == "O" and code in hierarchy and CHILDBIRTH in hierarchy[code].label().lower()


def _is_poisoning(code: str) -> bool:
    plain = code.replace(".", "")
    if not POISONS[0] <= plain[:3] <= POISONS[1] or not plain.endswith("A"):
        return False
    return not plain[:6].rstrip("X").endswith(ADVERSE)


def _is_sequela(code: str) -> bool:
    return code[0] in "ST" and len(code.replace(".", "")) > 6 and code.endswith(SEQUELA)
