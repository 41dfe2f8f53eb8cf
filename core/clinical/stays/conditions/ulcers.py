"""How deep an ulcer of a leg, a foot or the skin is, which its code says.

Source: ICD-10-CM L97 and L98.4: the last digit of a code says whether skin, fat, muscle or bone is
reached, and whether that is necrotic.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.names.tables import phrases_by_meaning
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.suggest.evidence.spans import Span

ULCERS = ("L97", "L98.4")
NOT_SAID = "9"
LENGTH, OF_A_SITE = len("L97.519"), len("L97.5")
LIKELY = 0.65
DEPTHS = phrases_by_meaning("ulcers", "depth")
"""By the last digit of the code; the first one that a note says counts."""
# What is named in the same words: the gangrene of "necrosis of muscle".
SAME_WORDS = ("I96", "M87", "M62.2", "M62.8")


def ulcers(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of each ulcer with its depth in place of the one that leaves this open."""
    codes = [code for code in note.says(*ULCERS) if len(code) == LENGTH]
    is_only = len({code[:OF_A_SITE] for code in codes}) == 1
    for code in (code for code in codes if code.endswith(NOT_SAID)):
        spans = _places(code, note)
        digit, words = next(_depths(spans, note, is_only=is_only), ("", None))
        if words is not None:
            chance = max(LIKELY, note.chances[code])
            yield StayCode(code[:-1] + digit, chance, spans, (code, *_in_words(words, note)))


def _places(code: str, note: StayNote) -> tuple[Span, ...]:
    """Return where an ulcer is named, by its own code or one of those that say less."""
    named = [n.concept_id for n in note.named if n.concept_id.startswith(ULCERS)]
    return note.spans(code) or tuple(span for other in named for span in note.spans(other))


def _depths(
    spans: tuple[Span, ...], note: StayNote, *, is_only: bool
) -> Iterator[tuple[str, Span]]:
    """Yield the depths told beside an ulcer; of the only one, in the next sentence as well."""
    for digit, pattern in DEPTHS.items():
        for span in spans:
            start, end = note.sentence(span.start)
            if is_only and end < len(note.text):
                end = note.sentence(end)[1]
            for found in note.affirmed(pattern, start, end):
                yield digit, span_of(found)


def _in_words(words: Span, note: StayNote) -> list[str]:
    """Return the codes of diseases that are named in the words of a depth alone."""
    same = note.says(*SAME_WORDS)
    return [code for code in same if note.is_only(code, lambda span: _overlap(span, words))]


def _overlap(first: Span, second: Span) -> bool:
    return first.start < second.end and second.start < first.end
