"""The text of a document, in its own scrolling pane, with what speaks for a concept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.clinical.encounters import (
    name_of_day,
    name_of_kind,
    note_name,
    section_headings,
)
from core.clinical.sections import Section, sections
from core.documents.document import PART_BREAK, Document, Part
from pages.components import register

MAX_SHOWN_CHARACTERS = 400_000


def reader(
    document: Document,
    *,
    run_id: int | None,
    facts: str,
    notes: Sequence[str],
    keys: Mapping[str, str],
    clinical: bool = False,
    on_title: Callable[[], None],
    on_paste: Callable[[], None],
    saved_title: str | None = None,
    may_change_id: bool = False,
) -> None:
    """Draw title and text.

    Args:
        run_id: of the suggestions beside it; what the browser knows of why is of these alone.
        facts: a line under the title.
        notes: sentences that the reader should know before the text.
        keys: the key of every action; some are for the text.
        clinical: whether it is an encounter, whose notes stand apart and have sections.
        on_title: called when another title was typed.
        on_paste: called when a text was pasted in the place of a title.
        saved_title: what was typed, once it is stored, perhaps in other signs.
        may_change_id: whether another id may be typed beside the title.
    """
    text = document.text
    n_omitted = len(text) - MAX_SHOWN_CHARACTERS
    omitted = f"The last {n_omitted:,} characters are kept, but not shown." if n_omitted > 0 else ""
    register("reader", folder="reader", entry="reader.js", styles=("reader.css",))(
        key="reader",
        on_title_change=on_title,
        on_pasted_change=on_paste,
        data={
            "document_id": document.document_id,
            "version": "\n".join(
                [document.document_id, document.title, str(run_id), facts, *notes]
            ),
            "title": document.title,
            "keys": dict(keys),
            "saved_title": saved_title,
            "may_change_id": may_change_id,
            "text": text[:MAX_SHOWN_CHARACTERS],
            "parts": list(outlined(document.parts, clinical=clinical)),
            "takes_texts": not clinical,
            "apart": clinical and len(document.parts) > 1,
            "omitted": omitted,
            "facts": facts,
            "notes": list(notes),
        },
    )


def outlined(parts: Sequence[Part], *, clinical: bool = False) -> Iterator[dict[str, Any]]:
    """Yield where each part begins in the text, its name where the text lacks it, and its headings.

    Of a clinical note also the sections.
    """
    start = 0
    for part in parts:
        if start >= MAX_SHOWN_CHARACTERS:
            return
        note_sections = sections(part.text) if clinical else []
        headings_of_part = section_headings(part.text, note_sections) if clinical else part.headings
        headings = [[h.start + start, h.end + start, h.level] for h in headings_of_part]
        outline = {
            "start": start,
            "title": _title_above(part, part.title),
            "headings": [h for h in headings if h[1] <= MAX_SHOWN_CHARACTERS],
        }
        if clinical:
            name = note_name(part)
            outline |= {
                "title": _title_above(part, name),
                "name": name,
                "sections": _described(note_sections, start),
            }
            outline |= {"kind": name_of_kind(part), "day": name_of_day(part)}
        yield outline
        start += len(part.text) + len(PART_BREAK)


def _described(note_sections: Sequence[Section], start: int) -> list[dict[str, Any]]:
    described: list[dict[str, Any]] = [
        {
            "title": section.title,
            "kind": section.kind,
            "start": section.start + start,
            "end": section.end + start,
        }
        for section in note_sections
    ]
    return [section for section in described if section["start"] < MAX_SHOWN_CHARACTERS]


def _title_above(part: Part, name: str) -> str:
    """Return the name of a part, or "" where its text begins with it."""
    beginning = " ".join(part.text[: len(name) + 100].split()).casefold()
    return "" if beginning.startswith(" ".join(name.split()).casefold()) else name
