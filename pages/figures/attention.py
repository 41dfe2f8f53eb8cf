"""What the last layer looks at in an invented text, with and without label embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from core.insights import Attended, Attention, Example, load_attention
from pages.charts_looks import is_dark
from pages.figures.figure import Cell, elsewhere, render_missing, render_origin, render_table
from pages.figures.places import Place, shown

SPECIAL = frozenset({"[CLS]", "[SEP]", "[PAD]"})
PIECE = "##"
COLUMNS = ("text", "model", "place", "token", "attention %")
WHAT = (
    "The stronger the colour behind a word, the more the model looks at it before it decides. A "
    "model that was told what the labels mean (label embeddings) should look at the words that "
    "matter for them. Colours are relative to the strongest word of a line; the marks at the ends "
    "of a text, which every model looks at, have none."
)
IN_LABEL = frozenset({"command", "layer", "query", "heads"})  # facts that the label tells anyway
STRONGEST = 0.62  # how opaque the strongest word is: letters on it stay readable


def render_attention(place: Place, places: Sequence[Place]) -> None:
    """Each text once a model, then the numbers; without them, where there are some."""
    if not place.attention.is_file():
        render_missing(
            "There is no picture of this model's attention with and without label embeddings: it "
            "needs two models, one of each kind, and one command that reads an invented text with "
            f"both.{elsewhere(one.name for one in places if one.attention.is_file())}",
            f"python -m training attention RUN_WITHOUT RUN_WITH --out {shown(place.attention)}",
        )
        return
    attention = load_attention(place.attention)
    with st.container(key="figure_attention", border=True):
        st.header("What does the model look at?", anchor=False)
        st.markdown(WHAT)
        for example in attention.examples:
            st.html(as_html(example, dark=is_dark()))
        render_origin(_label(attention), str(attention.facts.get("command", "")))
        render_table("attention", COLUMNS, _rows(attention), alt="Attention by word")


def as_html(example: Example, *, dark: bool) -> str:
    """A line for each model, every word with a colour behind it and its share as a title."""
    lines = (
        f"<dt>{escape(one.model)}</dt><dd>{_words(one, dark=dark)}</dd>" for one in example.attended
    )
    return f'<dl class="strata-attention">{"".join(lines)}</dl>'


def _words(attended: Attended, *, dark: bool) -> str:
    colour = "224,122,111" if dark else "206,70,55"
    inner = [w for t, w in zip(attended.tokens, attended.weights, strict=True) if t not in SPECIAL]
    strongest = max(inner, default=0.0) or 1.0
    spans = []
    for token, weight in zip(attended.tokens, attended.weights, strict=True):
        opacity = 0.0 if token in SPECIAL else STRONGEST * weight / strongest
        joined = "" if token.startswith(PIECE) else " "
        spans.append(
            f'{joined}<span style="background:rgba({colour},{opacity:.2f})" '
            f'title="{100 * weight:.1f} %">{escape(token.removeprefix(PIECE))}</span>'
        )
    return "".join(spans)


def _rows(attention: Attention) -> list[tuple[Cell, ...]]:
    return [
        (example.text, one.model, place, token, round(100 * weight, 2))
        for example in attention.examples
        for one in example.attended
        for place, (token, weight) in enumerate(zip(one.tokens, one.weights, strict=True), 1)
    ]


def _label(attention: Attention) -> str:
    facts = {name: str(value) for name, value in attention.facts.items() if name not in IN_LABEL}
    said = "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in facts.items())
    n_texts = len(attention.examples)
    texts = "An invented text" if n_texts == 1 else f"{n_texts} invented texts"
    return (
        f"{texts}; query row of [CLS] in the last layer, averaged over its heads (Figure 2 of "
        f"Wang et al. 2020){'; ' if said else ''}{said}."
    )
