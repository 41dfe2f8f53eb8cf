"""What a note says of the patient's family, which has codes of its own.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.21.c.4 (family history codes, Z80
to Z84, are for a relative's disease that raises the patient's risk); ICD-10-CM index, History, family.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.names.cues import FAMILY
from core.clinical.names.tables import meanings, phrases
from core.clinical.stays.births import NEWBORN, is_of
from core.clinical.stays.note import StayCode, StayNote

LIKELY, LESS_LIKELY = 0.7, 0.4
# Of these a relative's disease is a risk that is coded whatever brings the patient; of others, where
# the note names nothing else.
RISKS = ("Z80", "Z82.3", "Z82.4", "Z83.3")
# The code of a family history by the beginning of the code of the disease; the longest counts.
OF_FAMILY = meanings("histories", "history of the family")
_NO_RELATIVE = phrases("histories", "no relative by blood")


def family(note: StayNote) -> Iterator[StayCode]:
    """Yield the history of each disease that a relative by blood has or had.

    A newborn's mother is the parent of whose conditions its own note tells.
    """
    if is_of(NEWBORN, note):
        return
    for named in note.denied:
        begins = [begin for begin in OF_FAMILY if named.concept_id.startswith(begin)]
        spans = tuple(
            mention.span
            for mention in named.mentions
            if mention.assertion is not None
            and mention.assertion.status == FAMILY
            and not _NO_RELATIVE.search(mention.assertion.cue)
        )
        if begins and spans:
            code = OF_FAMILY[max(begins, key=len)]
            is_likely = code.startswith(RISKS) or not note.codes
            yield StayCode(code, LIKELY if is_likely else LESS_LIKELY, spans)
