"""What the last layer looks at in an invented text, with and without label embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from core.insights import Attended, Attention, AttentionExample, load_attention
from pages.charts.style import is_dark
from pages.figures.figure import (
    FigureContent,
    FigureSpec,
    MissingFigure,
    elsewhere,
    render_figures,
    render_missing,
)
from pages.figures.places import Place, shown

SPECIAL = frozenset({"[CLS]", "[SEP]", "[PAD]"})
PIECE = "##"
COLUMNS = ("text", "model", "place", "token", "attention %")
WHAT = (
    "The stronger the colour behind a word, the more the model looks at it before it decides. A "
    "model that knows what the labels mean (label embeddings) should look at the words that "
    "matter for them. Colours are relative to the strongest word of a line; the marks at the ends "
    "of a text, which every model looks at, have none."
)
IN_LABEL = frozenset({"command", "layer", "query", "heads"})  # facts that the label has anyway
STRONGEST = 0.62  # how opaque the strongest word is: letters on it stay readable


def render_attention(place: Place, places: Sequence[Place]) -> None:
    """Draw each text once a model, then the numbers; without them, say where there are some."""
    if not place.attention.is_file():
        having = elsewhere(other.name for other in places if other.attention.is_file())
        render_missing(
            MissingFigure(
                "There is no picture of this model's attention with and without label "
                "embeddings: it needs two models, one of each kind, and one command that reads "
                f"an invented text with both.{having}",
                f"python -m training attention RUN_WITHOUT RUN_WITH --out {shown(place.attention)}",
            )
        )
        return
    render_figures(FIGURES, load_attention(place.attention))


def by_word(attention: Attention) -> FigureContent:
    """Return each text with a colour behind every word, a line for each model."""
    return FigureContent(
        sentence=WHAT,
        html=[as_html(example, dark=is_dark()) for example in attention.examples],
        label=_label(attention),
        command=str(attention.facts.get("command", "")),
        columns=COLUMNS,
        rows=[
            (example.text, attended.model, place, token, round(100 * weight, 2))
            for example in attention.examples
            for attended in example.attended
            for place, (token, weight) in enumerate(
                zip(attended.tokens, attended.weights, strict=True), 1
            )
        ],
        alt="Attention by word",
    )


FIGURES: tuple[FigureSpec[Attention], ...] = (
    FigureSpec("attention", "What does the model look at?", by_word),
)


def as_html(example: AttentionExample, *, dark: bool) -> str:
    """Return a line for each model, every word with a colour behind it and its share as a title."""
    lines = (
        f"<dt>{escape(attended.model)}</dt><dd>{_words(attended, dark=dark)}</dd>"
        for attended in example.attended
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


def _label(attention: Attention) -> str:
    facts = {name: str(value) for name, value in attention.facts.items() if name not in IN_LABEL}
    said = "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in facts.items())
    n_texts = len(attention.examples)
    texts = "An invented text" if n_texts == 1 else f"{n_texts} invented texts"
    return (
        f"{texts}; query row of [CLS] in the last layer, averaged over its heads (Figure 2 of "
        f"Wang et al. 2020){'; ' if said else ''}{said}."
    )
