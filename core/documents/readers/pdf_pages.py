"""Pages of a PDF file, by pdfium: turned upright, with what was typed onto them, and their letters."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import degrees

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

TYPED = (pdfium_c.FPDF_ANNOT_WIDGET, pdfium_c.FPDF_ANNOT_FREETEXT)
SAMPLED_LETTERS = 100  # of a page, by which it is turned
RIGHT_ANGLE, FULL_TURN = 90, 360

Box = tuple[float, float, float, float]


@contextmanager
def text_of_page(
    document: pdfium.PdfDocument, number: int
) -> Iterator[tuple[pdfium.PdfTextPage, Mapping[int, int]]]:
    """The text of a page that is turned so that most letters stand upright, and what was typed on it.

    pdfium orders lines as they are shown, and so reads those of a page on its side from the last.
    Of each letter that was typed, the second value has the number of its field, by its index.
    """
    page = document[number]
    try:
        fields, n_drawn = _fields(page), 0
        if fields:
            n_drawn = _n_letters(page)
            pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY)
            page.close()
            page = document[number]
        text_page = page.get_textpage()
        try:
            turn = _turn(text_page)
            if turn != page.get_rotation():
                text_page.close()
                page.set_rotation(turn)
                text_page = page.get_textpage()
            yield text_page, _typed(text_page, fields, n_drawn) if fields else {}
        finally:
            text_page.close()
    finally:
        page.close()


def is_picture(document: pdfium.PdfDocument, number: int) -> bool:
    """Return whether a page shows a picture; a blank one does not."""
    page = document[number]
    try:
        return any(page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE]))
    finally:
        page.close()


def box_of(text_page: pdfium.PdfTextPage, index: int) -> Box:
    """Return left, bottom, right and top of a letter as its font is set, in points, when upright."""
    left, bottom, right, top = _set_box(text_page, index)
    match text_page.page.get_rotation():
        case 90:
            return bottom, -right, top, -left
        case 180:
            return -right, -top, -left, -bottom
        case 270:
            return -top, left, -bottom, right
    return left, bottom, right, top


def _set_box(text_page: pdfium.PdfTextPage, index: int) -> Box:
    """Return left, bottom, right and top of a letter on the page as it is, not turned."""
    box = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFText_GetLooseCharBox(text_page, index, ctypes.byref(box)):
        return 0.0, 0.0, 0.0, 0.0
    return float(box.left), float(box.bottom), float(box.right), float(box.top)


def _fields(page: pdfium.PdfPage) -> list[Box]:
    """Return where somebody may have typed onto a page, or into a form on it."""
    fields = []
    for number in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, number)
        box = pdfium_c.FS_RECTF()
        if pdfium_c.FPDFAnnot_GetSubtype(annotation) in TYPED:
            pdfium_c.FPDFAnnot_GetRect(annotation, ctypes.byref(box))
            fields.append((float(box.left), float(box.bottom), float(box.right), float(box.top)))
        pdfium_c.FPDFPage_CloseAnnot(annotation)
    return fields


def _n_letters(page: pdfium.PdfPage) -> int:
    text_page = page.get_textpage()
    try:
        return sum(not character.isspace() for character in text_page.get_text_range())
    finally:
        text_page.close()


def _typed(text_page: pdfium.PdfTextPage, fields: Sequence[Box], n_drawn: int) -> Mapping[int, int]:
    """Return the field of each letter that was typed; pdfium puts them behind those that are drawn."""
    text = text_page.get_text_range()
    shown = [index for index, character in enumerate(text) if not character.isspace()]
    typed: dict[int, int] = {}
    field = None
    for index in shown[n_drawn:]:
        left, bottom, right, top = _set_box(text_page, index)
        x, y = (left + right) / 2, (bottom + top) / 2
        here = (
            n for n, box in enumerate(fields) if box[0] <= x <= box[2] and box[1] <= y <= box[3]
        )
        field = next(here, field)  # a long value goes on beyond its field
        if field is not None:
            typed[index] = field
    return typed


def _turn(text_page: pdfium.PdfTextPage) -> int:
    """Return by how many degrees a page is to be turned to the right."""
    n_letters = text_page.count_chars()
    if not n_letters:
        return 0
    sample = range(0, n_letters, max(n_letters // SAMPLED_LETTERS, 1))
    angles = (degrees(pdfium_c.FPDFText_GetCharAngle(text_page, n)) for n in sample)
    turns = Counter(-round(angle / RIGHT_ANGLE) * RIGHT_ANGLE % FULL_TURN for angle in angles)
    return max(turns, key=lambda turn: turns[turn])
