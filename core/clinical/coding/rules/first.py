"""Which code comes first: what cannot be the principal diagnosis, what comes first wherever it is, and
what a sepsis precedes.

Source: ICD-10-CM Official Guidelines for Coding and Reporting: codes with "in … classified elsewhere"
in their title are never the first I.A.13, external causes I.C.20.a.6, B95-B97 go with the code of an
infection I.B.7, treatment of a cancer I.C.2.e.2, newborns I.C.16.a.2, other reasons for an encounter
I.C.21.c.16, sepsis I.C.1.d.4; and the lists of the Medicare Code Editor. These are of another year
than the codes, so what only they say prevents no finishing, and is a note for stays of another year.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.coding.findings import (
    ERROR,
    NOTE,
    WARNING,
    CheckedCodes,
    Finding,
    is_external_cause,
)
from core.clinical.coding.published import MANIFESTATION, QUESTIONABLE, UNACCEPTABLE, code_edits
from core.clinical.coding.titles import IN_ANOTHER
from core.clinical.instructions import CODE_FIRST, instructions
from core.clinical.names.tables import patterns, rows
from core.clinical.notation import ICD10CM

CAUSE_SOURCE, TITLE_SOURCE = "Guidelines I.C.20.a.6", "Guidelines I.A.13"
AGENT_SOURCE = "Guidelines I.B.7"
AGENT = "as the cause of diseases classified elsewhere"
SEPSIS_SOURCE = "Guidelines I.C.1.d.4"
FIRST = {row.pattern: row.source for row in rows("coding", "stands first")}
# Not for donors unspecified, and not for a participant in research.
ANY_PLACE = ("Z00.6", "Z52.9")
SEPSIS = ("A40", "A41", "A02.1", "A22.7", "A26.7", "A32.7", "A42.7", "A54.86", "B37.7")
INFECTED = patterns("coding", "infection of a device or a procedure")
INFECTED_SOURCE = "Guidelines I.C.1.d.5.b"
LOCAL = patterns("coding", "local infection of a sepsis")


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
    if checked.system != ICD10CM or checked.is_outpatient:
        return None  # the editor looks at stays of inpatients
    edits = code_edits()
    source = edits.source(checked.hierarchy, day=checked.day)
    severity = WARNING if edits.are_of(checked.day) else NOTE
    if code in edits.codes[MANIFESTATION]:
        return "manifestation", severity, manifestation, source
    if code in edits.codes[UNACCEPTABLE]:
        words = "is not accepted as the principal diagnosis of a stay in hospital."
        return "unacceptable", severity, words, source
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


def first(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield what is not first though it has to be."""
    diagnoses = checked.diagnoses
    for place, code in enumerate(diagnoses):
        source = _source(code)
        if source and not all(_source(before) for before in diagnoses[:place]):
            ahead = next(before for before in diagnoses if not _source(before))
            sentence = (
                f"{code} is the reason for the encounter where it is coded, so it stands first."
            )
            yield _finding("first", sentence, (code, ahead), source, checked)
            break
    sepsis = next((code for code in checked.beginning(*SEPSIS)), "")
    if sepsis and diagnoses[0].startswith(LOCAL) and checked.present(sepsis) not in ("N", "U"):
        sentence = (
            f"A sepsis that was present on admission stands before the infection {diagnoses[0]}."
        )
        yield _finding("sepsis", sentence, (sepsis, diagnoses[0]), SEPSIS_SOURCE, checked)
    infected = next(iter(checked.beginning(*INFECTED)), "")
    if sepsis and infected and diagnoses.index(sepsis) < diagnoses.index(infected):
        sentence = f"{infected} stands before {sepsis} where the sepsis is due to it."
        yield _finding("sepsis", sentence, (infected, sepsis), INFECTED_SOURCE, checked)


def _source(code: str) -> str:
    """Return why a code stands first; "" where it does not."""
    if code.startswith(ANY_PLACE):
        return ""
    return next((source for begin, source in FIRST.items() if code.startswith(begin)), "")


def _finding(
    kind: str, sentence: str, about: tuple[str, str], source: str, checked: CheckedCodes
) -> Finding:
    remedy = checked.put_first(*about)
    return Finding(kind, WARNING, sentence, about, source=source, remedy=remedy)
