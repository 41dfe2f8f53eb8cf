"""How a figure of the Insights page is shown: in plain words, as a chart, as a table, as a file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.export.tables import text_cell
from pages.charts_looks import QUIET
from pages.opening import escaped

if TYPE_CHECKING:
    import plotly.graph_objects as go

NOT_IN_CODE = re.compile(r"[`\r\n]+")

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure with everything that is said beside it.

    Attributes:
        key: of its widgets, and the name of its file.
        sentence: what it means, for somebody who has never heard of the measure; Markdown.
        label: on what it was measured, plain text.
        command: that makes it; empty for figures that are always there.
        columns, rows: the same as the chart, as a table.
        alt: what the chart shows, for those who do not see it.
        note: a rule in full, below the chart; Markdown.
    """

    key: str
    title: str
    sentence: str
    label: str
    command: str
    figure: go.Figure
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    alt: str
    note: str = ""


def render(shown: Shown) -> None:
    """Title, sentence, chart, what was measured, and the table behind it."""
    with st.container(key=f"figure_{shown.key}", border=True):
        st.header(shown.title, anchor=False)
        st.markdown(shown.sentence)
        st.plotly_chart(
            shown.figure, key=f"chart_{shown.key}", theme=None, alt=shown.alt, config=QUIET
        )
        if shown.note:
            st.markdown(f":small[{shown.note}]")
        render_origin(shown.label, shown.command)
        render_table(shown.key, shown.columns, shown.rows, alt=f"{shown.title}, as a table")


def render_origin(label: str, command: str) -> None:
    """What was measured, and the command that does it."""
    made = f"  \n{code(command)}" if command else ""
    st.markdown(f":small[{escaped(label)}{made}]")


def render_table(
    key: str, columns: tuple[str, ...], rows: Sequence[Sequence[Cell]], *, alt: str
) -> None:
    """The figures as a table, and as a file, folded away."""
    with st.expander("As a table", icon=":material/table:"):
        table = [dict(zip(columns, row, strict=True)) for row in rows]
        st.dataframe(table, hide_index=True, key=f"table_{key}", alt=alt)
        render_download(key, columns, rows)


def render_download(key: str, columns: tuple[str, ...], rows: Sequence[Sequence[Cell]]) -> None:
    """A button for the figures as a file."""
    st.download_button(
        "Download as CSV",
        csv_file(columns, rows),
        file_name=f"{key.replace('_', '-')}.csv",
        mime="text/csv",
        key=f"csv_{key}",
        on_click="ignore",
        icon=":material/download:",
    )


def render_missing(sentence: str, command: str) -> None:
    """What is not there, and how to get it."""
    st.info(sentence, icon=":material/info:")
    if command:
        # Without a language: the colours of one are too pale to read on a light page.
        st.code(command, language=None, wrap_lines=True)


def render_replaced() -> None:
    """What to know of figures that were measured on another bundle than the one that is there."""
    st.warning(
        "These figures are of another version of this model: it was replaced after they were "
        "measured. The command below each of them measures it again.",
        icon=":material/warning:",
    )


def elsewhere(names: Iterable[str]) -> str:
    """A sentence that names the models which have what this one lacks; empty where none has."""
    found = ", ".join(map(escaped, names))
    return f" These models have it: {found}." if found else ""


def csv_file(columns: tuple[str, ...], rows: Sequence[Sequence[Cell]]) -> bytes:
    """UTF-8 with a byte order mark, lines ended by CRLF; no text runs as a formula."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([text_cell(one) if isinstance(one, str) else one for one in row])
    return file.getvalue().encode("utf-8-sig")


def code(text: str) -> str:
    """Text as code in Markdown, whatever is in it."""
    return f"`{NOT_IN_CODE.sub(' ', text)}`"


def percent(value: float | None) -> str:
    """Such as “79 %”, for sentences."""
    return "nothing to measure" if value is None else f"{100 * value:.0f} %"


def rounded(value: float | None) -> float | None:
    """A share as per cents with one decimal, for tables."""
    return None if value is None else round(100 * value, 1)
