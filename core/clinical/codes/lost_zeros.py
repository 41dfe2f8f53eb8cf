"""Codes of ICD-9-CM from a spreadsheet, which took the zeros that numbers do not need.

`038.9` comes out as 38.9, which is a procedure, and `003.1` as 3.1, which is nothing. What the title
speaks of decides where a code may be two, and every code that was read so is listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.clinical.names.tables import alternatives, phrases
from core.clinical.notation import ICD9CM
from core.vocabulary.repairs import Repair

# The diagnoses whose codes begin with a zero, 001 to 099, are infections.
_INFECTION = re.compile(
    rf"\b(?:{alternatives('codes', 'infection begins')})"
    rf"|(?:{alternatives('codes', 'infection ends')})\b",
    re.IGNORECASE,
)
_OPERATION = phrases("codes", "operation")
_NUMBER = re.compile(r"(\d{1,3})(?:\.(\d{1,2}))?")
_DIAGNOSIS = re.compile(r"[VE]\d{2,3}(?:\.?\d{1,2})?|\d{3}\.\d{1,2}")
_PROCEDURE = re.compile(r"\d{2}(?:\.\d{1,2})?")
_ONE_DIGIT = re.compile(r"\d\.\d{1,2}")
_PROCEDURE_DIGITS, _CATEGORY_DIGITS, _MOST_DIGITS = 2, 3, 5


def has_lost_zeros(text: str) -> bool:
    """Return whether a text can only be a code of ICD-9-CM that had zeros: 3.1 was 003.1."""
    return bool(_ONE_DIGIT.fullmatch(text))


def restored_zeros(titles: Mapping[str, str], system: str) -> tuple[dict[str, str], list[Repair]]:
    """Return the codes that lost their zeros as they were, and what to say of them and of doubtful ones.

    A file in which a code begins with a zero, or ends in one behind its point, has kept them.

    Args:
        titles: by code, as the file writes it.
        system: codes of another system than ICD-9-CM are left alone.
    """
    if system != ICD9CM or any(map(_has_kept_zeros, titles)):
        return {}, []
    is_certain = any(map(has_lost_zeros, titles))
    has_points = any("." in code for code in titles)
    has_diagnoses = any(_DIAGNOSIS.fullmatch(code) for code in titles)
    restored: dict[str, str] = {}
    repairs: list[Repair] = []
    doubtful: dict[str, tuple[str, str]] = {}
    for code, title in titles.items():
        if code.isascii() and (whole := _restored(code, title, is_certain=is_certain)):
            restored[code] = whole
            repairs.append(_repair(code, title, whole))
        elif has_diagnoses and _is_doubtful_procedure(code, title):
            doubtful[code] = f"0{code}", "whose zero a spreadsheet took"
        elif not has_points and _may_have_lost(code, title):
            whole = f"0{code[:2]}.{code[2:]}"
            repairs.append(_doubt(code, title, whole, "whose zero a spreadsheet took"))
        elif has_points and len(code) == _CATEGORY_DIGITS and code.isdigit():
            doubtful[code] = f"{code}.00", "whose last zeros a spreadsheet took"
    if restored:  # or else nothing shows that a spreadsheet was there
        repairs += (_doubt(code, titles[code], *whole) for code, whole in doubtful.items())
    return restored, repairs


def _has_kept_zeros(code: str) -> bool:
    return code.startswith("0") or bool(re.fullmatch(r"\d{2,3}\.\d?0", code))


def _restored(code: str, title: str, *, is_certain: bool) -> str | None:
    """Return the code with its zeros; None where it had none, or nothing shows that it had."""
    number = _NUMBER.fullmatch(code)
    if number is None or len(number[1]) == _CATEGORY_DIGITS:
        return None
    is_infection, is_operation = bool(_INFECTION.search(title)), bool(_OPERATION.search(title))
    n_digits = len(number[1])
    if is_operation and not is_infection:
        n_wanted = _PROCEDURE_DIGITS
    elif is_infection or is_certain:
        n_wanted = _CATEGORY_DIGITS
    else:
        return None
    return code.zfill(len(code) + n_wanted - n_digits) if n_wanted > n_digits else None


def _is_doubtful_procedure(code: str, title: str) -> bool:
    return bool(_PROCEDURE.fullmatch(code)) and not _OPERATION.search(title)


def _may_have_lost(code: str, title: str) -> bool:
    is_whole = code.isdigit() and _CATEGORY_DIGITS <= len(code) < _MOST_DIGITS
    return is_whole and bool(_INFECTION.search(title)) and not _OPERATION.search(title)


def _repair(code: str, title: str, whole: str) -> Repair:
    other = f"; {code} is a procedure" if len(code.partition(".")[0]) == _PROCEDURE_DIGITS else ""
    problem = f"{code} ({title}) has lost the zeros that its code begins with, as spreadsheets do"
    action = f"it was read as {whole}{other}. Format the column as text where that is wrong"
    return Repair(code, problem, action)


def _doubt(code: str, title: str, whole: str, reason: str) -> Repair:
    problem = f"{code} ({title}) may be {whole}, {reason}"
    return Repair(code, problem, f"it was read as it stands; write {whole} where that is meant")
