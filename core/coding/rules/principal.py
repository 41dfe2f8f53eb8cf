"""Which code cannot be the principal diagnosis.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.A.13 (codes with "in … classified
elsewhere" in their title are never the first), I.C.20.a.6 (external causes), I.B.7 (B95-B97 go with
the code of an infection), and the lists of the Medicare Code Editor. These are of another year than
the codes, so what only they say prevents no finishing.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.coding.findings import ERROR, NOTE, WARNING, CheckedCodes, Finding, is_external_cause
from core.coding.instructions import CODE_FIRST, instructions
from core.coding.published import MANIFESTATION, QUESTIONABLE, UNACCEPTABLE, code_edits
from core.coding.titles import IN_ANOTHER
from core.vocabulary.conventions import ICD10CM

CAUSE_SOURCE, TITLE_SOURCE = "Guidelines I.C.20.a.6", "Guidelines I.A.13"
AGENT_SOURCE = "Guidelines I.B.7"
AGENT = "as the cause of diseases classified elsewhere"


def principal(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield one finding where the first diagnosis cannot be the principal one."""
    if not checked.diagnoses or checked.diagnoses[0] not in checked.hierarchy:
        return
    code = checked.diagnoses[0]
    named = _named(code, checked)
    if named is None:
        return
    kind, severity, words, source = named
    instead = _instead(code, checked)
    remedy = checked.put_first(instead, code) if instead else None
    about = (code, instead) if instead else (code,)
    yield Finding(kind, severity, f"{code} {words}", about, source=source, remedy=remedy)


def _named(code: str, checked: CheckedCodes) -> tuple[str, str, str, str] | None:
    """Return kind, severity, words and source of what is wrong with a first code."""
    label = checked.label(code)
    if is_external_cause(code, checked.system):
        words = "says how it came about, so it cannot be the principal diagnosis."
        return "externalCause", ERROR, words, CAUSE_SOURCE
    if AGENT in label:
        words = "names what caused a disease, whose code has to stand first."
        return "agent", WARNING, words, AGENT_SOURCE
    manifestation = "is a manifestation of another disease, whose code has to stand first."
    if IN_ANOTHER.search(label):
        return "manifestation", ERROR, manifestation, TITLE_SOURCE
    if checked.system != ICD10CM:
        return None
    edits = code_edits()
    source = edits.source(checked.hierarchy)
    if code in edits.codes[MANIFESTATION]:
        return "manifestation", WARNING, manifestation, source
    if code in edits.codes[UNACCEPTABLE]:
        words = "is not accepted as the principal diagnosis of a stay in hospital."
        return "unacceptable", WARNING, words, source
    if code in edits.codes[QUESTIONABLE]:
        return "questionable", NOTE, "is questioned as the reason for a stay in hospital.", source
    return None


def _instead(code: str, checked: CheckedCodes) -> str:
    """Return the later code that belongs before the first one; "" where that is not known."""
    later = [
        candidate
        for candidate in checked.diagnoses[1:]
        if candidate in checked.hierarchy and not is_external_cause(candidate, checked.system)
    ]
    for instruction in instructions(code, checked.hierarchy, [CODE_FIRST]):
        asked = next((candidate for candidate in later if instruction.codes.matches(candidate)), "")
        if asked:
            return asked
    possible = [candidate for candidate in later if _named(candidate, checked) is None]
    return possible[0] if len(later) == 1 and possible else ""
