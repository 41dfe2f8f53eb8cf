"""A figure of the Insights page: its specification, its content, and how it is drawn.

Each has a sentence in plain words, a chart, the same as a table, and a file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import streamlit as st

from core.documents.rows.spreadsheet_cells import text_cell
from pages.charts.style import QUIET
from pages.components.markdown import code, escaped
from pages.figures.places import Place

if TYPE_CHECKING:
    import plotly.graph_objects as go

Cell = str | int | float | None


Data = TypeVar("Data")


@dataclass(frozen=True, slots=True)
class FigureContent:
    """What a figure shows, with everything that is said beside it.

    Attributes:
        sentence: what it means, for somebody who has never heard of the measure; Markdown.
        label: on what it was measured, plain text.
        command: that makes it; empty for figures that are always there.
        chart: drawn by Plotly; none where the table or the sentence is the figure.
        columns, rows: the same as the chart, as a table; no table where there are no columns.
        alt: what the chart shows, or the table without one, for those who do not see it.
        note: a rule in full, below the chart; Markdown.
    """

    sentence: str
    label: str = ""
    command: str = ""
    chart: go.Figure | None = None
    columns: tuple[str, ...] = ()
    rows: Sequence[Sequence[Cell]] = ()
    alt: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class MissingFigure:
    """What is not there, and the command that makes it, if one does."""

    sentence: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class FigureSpec(Generic[Data]):
    """A figure of a question.

    Attributes:
        key: of its widgets, and the name of its file.
        make: from what was measured; None where the figure is left out without a word.
        is_table: whether the table itself is the figure, and stands open.
    """

    key: str
    title: str
    make: Callable[[Data], FigureContent | MissingFigure | None]
    is_table: bool = False


def render_figures(specs: Iterable[FigureSpec[Data]], data: Data) -> None:
    """Draw every figure of a question, or say what is missing."""
    for spec in specs:
        content = spec.make(data)
        if isinstance(content, MissingFigure):
            render_missing(content)
        elif content is not None:
            render_figure(spec, content)


def render_figure(spec: FigureSpec[Data], content: FigureContent) -> None:
    """Draw title, sentence, chart, what was measured, and the table behind it."""
    key = spec.key
    with st.container(key=f"figure_{key}", border=True):
        st.header(spec.title, anchor=False)
        st.markdown(content.sentence)
        if content.chart is not None:
            st.plotly_chart(
                content.chart, key=f"chart_{key}", theme=None, alt=content.alt, config=QUIET
            )
        if spec.is_table:
            render_rows(key, content, alt=content.alt)
        if content.note:
            st.markdown(f":small[{content.note}]")
        render_origin(content.label, content.command)
        if spec.is_table:
            render_download(key, content)
        elif content.columns:
            with st.expander("As a table", icon=":material/table:"):
                is_drawn = content.chart is not None
                alt = f"{spec.title}, as a table" if is_drawn else content.alt
                render_rows(key, content, alt=alt)
                render_download(key, content)


def render_origin(label: str, command: str) -> None:
    """Say what was measured, and with which command."""
    made = f"  \n{code(command)}" if command else ""
    st.markdown(f":small[{escaped(label)}{made}]")


def render_rows(key: str, content: FigureContent, *, alt: str) -> None:
    """Show the figures as a table."""
    rows = [dict(zip(content.columns, row, strict=True)) for row in content.rows]
    st.dataframe(rows, hide_index=True, key=f"table_{key}", alt=alt)


def render_download(key: str, content: FigureContent) -> None:
    """Offer the figures as a file."""
    st.download_button(
        "Download as CSV",
        csv_file(content.columns, content.rows),
        file_name=f"{key.replace('_', '-')}.csv",
        mime="text/csv",
        key=f"csv_{key}",
        on_click="ignore",
        icon=":material/download:",
    )


def render_missing(missing: MissingFigure) -> None:
    """Say what is not there, and how to get it."""
    st.info(missing.sentence, icon=":material/info:")
    if missing.command:
        # Without a language: the colours of one are too pale to read on a light page.
        st.code(missing.command, language=None, wrap_lines=True)


def render_measured_on(place: Place, measured: str) -> None:
    """Say so where figures were measured on another bundle than the present one.

    Args:
        measured: hash of the bundle that they were measured on, or how it begins.
    """
    if not place.bundle_hash or (measured and place.bundle_hash.startswith(measured)):
        return
    if measured and place.twin_hash.startswith(measured):
        st.markdown(
            "Measured on this model’s twin, which has not learned from the newest documents and is "
            "judged on them. The model itself has learned from all of them since."
        )
        return
    st.warning(
        "These figures are of another version of this model: it was replaced after they were "
        "measured. The command below each of them measures it again.",
        icon=":material/warning:",
    )


def csv_file(columns: tuple[str, ...], rows: Sequence[Sequence[Cell]]) -> bytes:
    """Return UTF-8 with a byte order mark, lines ended by CRLF; no text runs as a formula."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([text_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue().encode("utf-8-sig")


def percent(value: float | None) -> str:
    """Return a share for sentences, such as “79 %”."""
    return "nothing to measure" if value is None else f"{100 * value:.0f} %"


def rounded(value: float | None) -> float | None:
    """Return a share as a percentage with one decimal, for tables."""
    return None if value is None else round(100 * value, 1)
