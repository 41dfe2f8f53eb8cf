"""How much of itself an encoder uses: its layers and attention heads, as heatmaps and in words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.utilization.figures import QUERIES, Matrix, Utilization, load_csv
from pages.charts.plots import heatmap_figure, layers_figure
from pages.charts.style import is_dark
from pages.components.markdown import escaped
from pages.figures.figure import (
    Cell,
    FigureContent,
    FigureSpec,
    MissingFigure,
    elsewhere,
    render_figures,
    render_measured_on,
    render_missing,
)
from pages.figures.places import Place, shown

QUERY_WORDS = {"cls": "[CLS] alone", "mean": "mean over all tokens"}
WHAT = (
    "An encoder reads a text in **layers**, one after the other, and each layer looks at it with "
    "several **attention heads**. Layers that all do the same, or heads that look at the same "
    "words, are room that the model does not use."
)


def render_layers(place: Place, places: Sequence[Place]) -> None:
    """Draw sentences first, then the heatmaps; without them, say where there are some."""
    queries = [query for query in QUERIES if place.utilization(query).is_file()]
    if not queries:
        render_missing(
            MissingFigure(
                "The layers and heads of this model were not measured yet. The command below does "
                "it, in some minutes, and keeps only figures."
                f"{elsewhere(other.name for other in places if other.has_utilization)}",
                f"python -m training utilization {place.target} --split dev --query both "
                f"--out {shown(place.folder)}",
            )
        )
        return
    st.markdown(WHAT)
    measured = load_csv(place.utilization(_choose_query(queries)))
    render_measured_on(place, measured.about.get("bundle", ""))
    render_figures(FIGURES, measured)


def _choose_query(queries: list[str]) -> str:
    """At which query rows attention is measured."""
    if len(queries) == 1:
        return queries[0]
    chosen: str = st.segmented_control(
        "Attention is measured at",
        queries,
        default=queries[0],
        required=True,
        format_func=lambda query: QUERY_WORDS.get(query, query),
        key="insights_query",
    )
    return chosen or queries[0]


def in_words(measured: Utilization) -> FigureContent:
    """Return layers and heads that do little, by name."""
    notes = "\n".join(f"- {escaped(note)}" for note in measured.notes())
    return FigureContent(sentence=notes, label=_label(measured))


def angular_distance(measured: Utilization) -> FigureContent:
    """Return how far the [CLS] vectors of two layers are apart."""
    return _pairs_of_layers(
        measured,
        measured.angular,
        unit="angle / π",
        sentence="How far apart the document's vector is after two layers: 0 is the same "
        "direction, 0.5 a right angle. Low numbers next to the diagonal are layers that pass "
        "on what they got. (The [CLS] vector, as in Figures 3, 5 and 7 of the paper.)",
    )


def attention_of_layers(measured: Utilization) -> FigureContent:
    """Return how differently two layers spread their attention."""
    return _pairs_of_layers(
        measured,
        measured.kl_layers,
        unit="nats",
        sentence="How differently two layers spread their attention over the words: 0 is "
        "alike, higher is more different. (KL divergence of the row's layer from the "
        "column's, averaged over heads first; Figures 4, 6 and 8 of the paper.)",
    )


def attention_by_layer(measured: Utilization) -> FigureContent:
    """Return how wide each layer looks, and how differently its heads do."""
    entropy, distinct = measured.entropy.tolist(), measured.kl_heads.tolist()
    pairs = enumerate(zip(entropy, distinct, strict=True), 1)
    rows: list[tuple[Cell, ...]] = [
        (layer, round(width, 3), round(difference, 3)) for layer, (width, difference) in pairs
    ]
    return FigureContent(
        sentence="The first line: over how many words a layer spreads its attention (0 is one "
        f"word, {measured.uniform_entropy:.1f} would be all alike). The second: how differently "
        "its heads look. A layer where both are low does little. (Table 2 of the paper; "
        "its averages over layers are 3.05 and 1.82 for FLAT, 3.74 and 2.27 for LAST-SIX; here they "
        f"are {sum(entropy) / len(entropy):.2f} and {sum(distinct) / len(distinct):.2f}.)",
        label=_label(measured),
        command=_command(measured),
        chart=layers_figure(
            [("width of attention (entropy)", entropy), ("difference of heads (KL)", distinct)],
            dark=is_dark(),
        ),
        columns=("layer", "entropy, nats", "KL between heads, nats"),
        rows=rows,
        alt="; ".join(f"layer {n}: entropy {e:.2f}, KL {k:.2f}" for n, e, k in rows),
        part=measured.query,
    )


def distinctness_of_heads(measured: Utilization) -> FigureContent:
    """Return how much each head differs from the others of its layer."""
    return _by_head(
        measured,
        measured.head_distinctness,
        sentence="How much each head's attention differs from the other heads of its layer: "
        "near 0 it repeats them, and could be left out.",
    )


def entropy_of_heads(measured: Utilization) -> FigureContent:
    """Over how many words each head spreads its attention."""
    return _by_head(
        measured,
        measured.head_entropy,
        sentence="Over how many words each head spreads its attention: near 0 it looks at one "
        f"word; {measured.uniform_entropy:.1f} would be at all of them alike.",
    )


FIGURES: tuple[FigureSpec[Utilization], ...] = (
    FigureSpec("notes", "In words", in_words),
    FigureSpec(
        "angular_distance", "Does each layer change what the model thinks?", angular_distance
    ),
    FigureSpec("attention_of_layers", "Do layers look at different words?", attention_of_layers),
    FigureSpec(
        "attention_by_layer",
        "How wide does each layer look, and do its heads divide the work?",
        attention_by_layer,
    ),
    FigureSpec(
        "distinctness_of_heads",
        "Which heads look where no other head looks?",
        distinctness_of_heads,
    ),
    FigureSpec(
        "entropy_of_heads",
        "Which heads look at one word, and which at all?",
        entropy_of_heads,
    ),
)


def _pairs_of_layers(
    measured: Utilization, values: Matrix, *, unit: str, sentence: str
) -> FigureContent:
    """Return a heatmap of pairs of layers."""
    n_layers = measured.n_layers
    table = values.tolist()
    near = [
        (value, i, j) for i, row in enumerate(table, 1) for j, value in enumerate(row, 1) if i < j
    ]
    extremes = {"Most alike": min(near, default=None), "Most different": max(near, default=None)}
    spoken = [
        f"{word}: layers {pair[1]} and {pair[2]}, {pair[0]:.2f}."
        for word, pair in extremes.items()
        if pair is not None
    ]
    return FigureContent(
        sentence=sentence,
        label=_label(measured),
        command=_command(measured),
        chart=heatmap_figure(table, rows="layer", columns="layer", unit=unit, dark=is_dark()),
        columns=("layer", *(f"layer {n}" for n in range(1, n_layers + 1))),
        rows=_table(table),
        alt=" ".join([f"A square of {n_layers} layers.", *spoken]),
        part=measured.query,
    )


def _by_head(measured: Utilization, values: Matrix, *, sentence: str) -> FigureContent:
    """Return a heatmap with a row for each layer and a column for each head."""
    table = values.tolist()
    return FigureContent(
        sentence=sentence,
        label=_label(measured),
        command=_command(measured),
        chart=heatmap_figure(table, rows="layer", columns="head", unit="nats", dark=is_dark()),
        columns=("layer", *(f"head {n}" for n in range(1, measured.n_heads + 1))),
        rows=_table(table),
        alt="; ".join(
            f"layer {n}: {min(row):.2f} to {max(row):.2f}" for n, row in enumerate(table, 1)
        ),
        part=measured.query,
    )


def _command(measured: Utilization) -> str:
    return measured.about.get("command", "")


def _table(values: list[list[float]]) -> list[tuple[Cell, ...]]:
    return [(n, *(round(value, 4) for value in row)) for n, row in enumerate(values, 1)]


def _label(measured: Utilization) -> str:
    """Return query rows, split and documents, and whose they are."""
    name = measured.about.get("name", "")
    return f"Query rows: {measured.label}{f'; model {name}' if name else ''}."
