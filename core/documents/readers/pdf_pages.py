"""Pages of a PDF file, by pdfium: turned upright, with what was typed onto them, and their letters."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import degrees

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

TYPED = (pdfium_c.FPDF_ANNOT_WIDGET, pdfium_c.FPDF_ANNOT_FREETEXT)
SAMPLED_LETTERS = 100  # of a page, by which it is turned
RIGHT_ANGLE, FULL_TURN = 90, 360

Box = tuple[float, float, float, float]


@contextmanager
def text_of_page(document: pdfium.PdfDocument, number: int) -> Iterator[pdfium.PdfTextPage]:
    """The text of a page, which is turned so that most of its letters stand upright.

    pdfium orders lines as they are shown, and so reads those of a page on its side from the last.
    """
    page = document[number]
    try:
        if _is_typed_on(page):
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
            yield text_page
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
    box = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFText_GetLooseCharBox(text_page, index, ctypes.byref(box)):
        return 0.0, 0.0, 0.0, 0.0
    left, bottom = float(box.left), float(box.bottom)
    right, top = float(box.right), float(box.top)
    match text_page.page.get_rotation():
        case 90:
            return bottom, -right, top, -left
        case 180:
            return -right, -top, -left, -bottom
        case 270:
            return -top, left, -bottom, right
    return left, bottom, right, top


def _is_typed_on(page: pdfium.PdfPage) -> bool:
    """Return whether somebody may have typed onto a page, or into a form on it."""
    for number in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, number)
        subtype = pdfium_c.FPDFAnnot_GetSubtype(annotation)
        pdfium_c.FPDFPage_CloseAnnot(annotation)
        if subtype in TYPED:
            return True
    return False


def _turn(text_page: pdfium.PdfTextPage) -> int:
    """Return by how many degrees a page is to be turned to the right."""
    n_letters = text_page.count_chars()
    if not n_letters:
        return 0
    sample = range(0, n_letters, max(n_letters // SAMPLED_LETTERS, 1))
    angles = (degrees(pdfium_c.FPDFText_GetCharAngle(text_page, n)) for n in sample)
    turns = Counter(-round(angle / RIGHT_ANGLE) * RIGHT_ANGLE % FULL_TURN for angle in angles)
    return max(turns, key=lambda turn: turns[turn])
