"""Marks of presence on admission as the notes propose them, each with its reason.

Nobody's stay is marked as a whole: a mark is proposed where a note lists the condition at admission,
says that it begins in the stay, or where it lasts for years. Complications of a delivery, of
procedures and of the stay are never proposed as present.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, appendix I.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.clinical.kinds import COMPLAINT, HISTORY, PAST_HISTORY, known_kind
from core.clinical.names.tables import alternatives, expression, meanings, phrases
from core.clinical.sections import Section, sections_of_parts
from core.documents.document import PART_BREAK, Document
from core.suggest.evidence.spans import Span

YES, NO = "Y", "N"
NEVER_YES = meanings("presence", "not proposed as present")
LASTING = meanings("presence", "lasting")
_BEGINS = phrases("presence", "begins in the stay")
_ENDS = phrases("presence", "ends in the stay")
# A line goes on in small letters alone: "On admission he was febrile" is a sentence of its own.
_BEHIND = re.compile(
    rf"(?:[ \t,:(]|\n(?-i:(?=[a-z]))){{0,3}}({alternatives('presence', 'said behind it')})\b",
    re.IGNORECASE,
)
_HEADED = expression("presence", "headed at admission")
AT_ADMISSION = (COMPLAINT, HISTORY, PAST_HISTORY)
OF_ADMISSION = ("Admission note", "Emergency note")
SENTENCE = re.compile(r"[.;\n]")
NEAR = 200  # characters around a condition in which its sentence is looked at


@dataclass(frozen=True, slots=True)
class PresenceProposal:
    """What the notes say of a code and the admission.

    Attributes:
        mark: "Y", "N", or "" where only a person can tell.
        reason: in words, such as “listed at admission: Past medical history”.
        is_proven: whether a note says it itself.
    """

    mark: str
    reason: str
    is_proven: bool = False


def proposals(
    codes: Sequence[str], document: Document, places: Mapping[str, Sequence[Span]]
) -> dict[str, PresenceProposal]:
    """Return what is proposed for each of some diagnoses, the principal one first.

    Args:
        places: by code, where the notes say it without denying it.
    """
    notes = _Notes(document)
    return {code: _proposal(code, code == codes[0], notes, places.get(code, ())) for code in codes}


def _proposal(
    code: str, is_principal: bool, notes: _Notes, spans: Sequence[Span]
) -> PresenceProposal:
    later = next(notes.beginnings(spans), "")
    listed = next(notes.listed(spans), "")
    never = _of(code, NEVER_YES)
    if later and not listed:
        return PresenceProposal(NO, f"begins in the stay: “{later}”")
    if never:
        return PresenceProposal("", f"{never}: the notes decide")
    if listed:
        return PresenceProposal(YES, f"listed at admission: “{listed}”", is_proven=True)
    if lasting := _of(code, LASTING):
        return PresenceProposal(YES, lasting)
    if is_principal:
        return PresenceProposal(YES, "the principal diagnosis is the reason for the admission")
    return PresenceProposal("", "the notes do not say when it began")


def _of(code: str, table: Mapping[str, str]) -> str:
    return next((words for begin, words in table.items() if code.startswith(begin)), "")


class _Notes:
    """Where in the notes of an encounter something stands."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self._sections = sections_of_parts(part.text for part in document.parts)
        self._kinds: list[tuple[int, int, str]] = []
        offset = 0
        for part in document.parts:
            self._kinds.append((offset, offset + len(part.text), part.kind))
            offset += len(part.text) + len(PART_BREAK)

    def listed(self, spans: Sequence[Span]) -> Iterator[str]:
        """Yield the headers and notes of the admission under which one of some places stands.

        Or what is said right behind it: "Ileus, on admission".
        """
        for span in self._in_text(spans):
            if said := _BEHIND.match(self.text, span.end):
                yield said.group(1)
            kind = next((kind for start, end, kind in self._kinds if start <= span.start < end), "")
            if known_kind(kind) in OF_ADMISSION:
                yield kind
            for section in self._sections:
                if section.body <= span.start < section.end and _is_of_admission(section):
                    yield section.title

    def beginnings(self, spans: Sequence[Span]) -> Iterator[str]:
        """Yield the words beside one of some places that say that it begins in the stay."""
        for span in self._in_text(spans):
            before = SENTENCE.split(self.text[max(0, span.start - NEAR) : span.start])[-1]
            behind = SENTENCE.split(self.text[span.end : span.end + NEAR])[0]
            name = self.text[span.start : span.end]
            beginning = _BEGINS.search(_ENDS.sub("", f"{before}{name}{behind}"))
            if beginning:
                yield beginning.group()

    def _in_text(self, spans: Sequence[Span]) -> Iterator[Span]:
        return (span for span in spans if span.field == "text")


def _is_of_admission(section: Section) -> bool:
    return section.kind in AT_ADMISSION or bool(_HEADED.search(section.title))
