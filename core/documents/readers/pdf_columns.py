"""The columns of a page whose lines were drawn row by row, and so would be read across.

A page counts as one in columns where pieces of its lines stand on both sides of a white band, are
prose, and come in turn from left and right. Tables are read across: their cells are short, or begin
anew in each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

MIN_GUTTER_POINTS = 7.0
MIN_ROWS = 3  # pieces on either side of a gutter
MOST_CROSSING = 0.25  # of the rows: headings, and paragraphs over the whole width
INNER = 0.15  # of the width of the text: no gutter is nearer to its edges
MIN_LETTERS = 12  # of a usual piece of prose,
MIN_GOES_ON = 0.3  # and the share of such pieces that begin with a small letter
MIN_IN_TURN = 0.5


@dataclass(frozen=True, slots=True)
class LinePiece:
    """A stretch of a line without a wide gap in it, and where it stands, in points.

    Attributes:
        typed: into a field of a form, or onto the page.
    """

    text: str
    left: float
    right: float
    bottom: float
    height: float
    typed: bool = False


def with_typed_in_place(pieces: Sequence[LinePiece]) -> list[LinePiece]:
    """Return the pieces of a page with each that was typed behind what it stands beside or under."""
    placed = [piece for piece in pieces if not piece.typed]
    for piece in pieces:
        if piece.typed:
            placed.insert(_place_of(piece, placed), piece)
    return placed


def _place_of(typed: LinePiece, placed: Sequence[LinePiece]) -> int:
    row = typed.height / 2

    def distance(number: int) -> tuple[bool, float]:
        other = placed[number]
        above = other.bottom - typed.bottom
        aside = max(other.left - typed.right, typed.left - other.right, 0.0)
        return above > row, aside + (above if above > row else 0.0)

    before = (
        number
        for number, other in enumerate(placed)
        if other.bottom > typed.bottom + row
        or (other.bottom > typed.bottom - row and other.left < typed.left)
    )
    return min(before, key=distance, default=-1) + 1


def in_reading_order(pieces: Sequence[LinePiece]) -> list[LinePiece]:
    """Return the pieces of a page column by column, where it has some; otherwise as they are."""
    gutters = _gutters(pieces)
    if not gutters:
        return list(pieces)
    return list(_by_column(pieces, gutters))


def _gutters(pieces: Sequence[LinePiece]) -> list[float]:
    """Return the middles of the white bands between columns, from left to right."""
    if len(pieces) < 2 * MIN_ROWS:
        return []
    first, last = min(p.left for p in pieces), max(p.right for p in pieces)
    margin = INNER * (last - first)
    gutters: list[float] = []
    for left, right in _bands(pieces):
        middle = (left + right) / 2
        if first + margin < middle < last - margin and right - left >= MIN_GUTTER_POINTS:
            gutters.append(middle)
    columns = _columns(pieces, gutters)
    return gutters if gutters and _are_prose(columns) and _come_in_turn(pieces, gutters) else []


def _bands(pieces: Sequence[LinePiece]) -> Iterator[tuple[float, float]]:
    """Yield the stretches from left to right that next to no piece crosses."""
    edges = sorted([*((p.left, 1) for p in pieces), *((p.right, -1) for p in pieces)])
    most = MOST_CROSSING * len({round(piece.bottom) for piece in pieces})
    n_here, begin = 0, None
    for at, change in edges:
        n_here += change
        if n_here <= most:
            begin = at if begin is None else begin
        elif begin is not None:
            yield begin, at
            begin = None


def _columns(pieces: Sequence[LinePiece], gutters: Sequence[float]) -> list[list[LinePiece]]:
    columns: list[list[LinePiece]] = [[] for _ in range(len(gutters) + 1)]
    for piece in pieces:
        if (column := _column(piece, gutters)) is not None:
            columns[column].append(piece)
    return columns


def _column(piece: LinePiece, gutters: Sequence[float]) -> int | None:
    """Return the number of the column that a piece stands in; None where it crosses a gutter."""
    before = sum(gutter < piece.left for gutter in gutters)
    return before if before == sum(gutter < piece.right for gutter in gutters) else None


def _are_prose(columns: Sequence[Sequence[LinePiece]]) -> bool:
    return all(
        len(column) >= MIN_ROWS
        and median(sum(map(str.isalpha, piece.text)) for piece in column) >= MIN_LETTERS
        and sum(piece.text[0].islower() for piece in column[1:]) >= MIN_GOES_ON * (len(column) - 1)
        for column in columns
    )


def _come_in_turn(pieces: Sequence[LinePiece], gutters: Sequence[float]) -> bool:
    columns = [column for piece in pieces if (column := _column(piece, gutters)) is not None]
    n_changes = sum(first != second for first, second in pairwise(columns))
    return n_changes >= MIN_IN_TURN * len(columns)


def _by_column(pieces: Sequence[LinePiece], gutters: Sequence[float]) -> Iterator[LinePiece]:
    """Yield column by column what stands between the pieces that cross a gutter."""
    waiting: list[LinePiece] = []
    for piece in pieces:
        if _column(piece, gutters) is None:
            yield from _emptied(waiting, gutters)
            yield piece
        else:
            waiting.append(piece)
    yield from _emptied(waiting, gutters)


def _emptied(waiting: list[LinePiece], gutters: Sequence[float]) -> Iterator[LinePiece]:
    for column in _columns(waiting, gutters):
        yield from sorted(column, key=lambda piece: -piece.bottom)
    waiting.clear()
