"""How much of itself an encoder uses: its layers and attention heads, as heatmaps and in words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.utilization.figures import QUERIES, Matrix, Utilization, load_csv
from pages.charts_looks import is_dark
from pages.figures.charts import heatmap_figure, layers_figure
from pages.figures.figure import Cell, Shown, elsewhere, render, render_missing, render_replaced
from pages.figures.places import Place, shown
from pages.opening import escaped

HASH_DIGITS = 12  # that `training utilization` keeps of a bundle's hash
QUERY_WORDS = {"cls": "[CLS] alone", "mean": "mean over all tokens"}
WHAT = (
    "An encoder reads a text in **layers**, one after the other, and each layer looks at it with "
    "several **attention heads**. Layers that all do the same, or heads that look at the same "
    "words, are room that the model does not use."
)


def render_layers(place: Place, places: Sequence[Place]) -> None:
    """Sentences first, then the heatmaps; without them, where there are some."""
    queries = [query for query in QUERIES if place.utilization(query).is_file()]
    if not queries:
        render_missing(
            "The layers and heads of this model were not measured yet. The command below does it, "
            "in some minutes, and keeps only figures."
            f"{elsewhere(one.name for one in places if one.has_utilization)}",
            f"python -m training utilization {place.target} --split dev --query both "
            f"--out {shown(place.folder)}",
        )
        return
    st.markdown(WHAT)
    query = queries[0]
    if len(queries) > 1:
        query = st.segmented_control(
            "Attention is measured at",
            queries,
            default=query,
            required=True,
            format_func=lambda one: QUERY_WORDS.get(one, one),
            key="insights_query",
        ) or query  # fmt: skip
    measured = load_csv(place.utilization(query))
    if place.bundle_hash[:HASH_DIGITS] != measured.about.get("bundle", "") and place.bundle_hash:
        render_replaced()
    command = measured.about.get("command", "")
    render_notes(measured)
    for figure in figures(measured, command):
        render(figure)


def render_notes(measured: Utilization) -> None:
    """Layers and heads that do little, by name."""
    with st.container(key="figure_notes", border=True):
        st.header("In words", anchor=False)
        st.markdown("\n".join(f"- {escaped(note)}" for note in measured.notes()))
        st.markdown(f":small[{escaped(_label(measured))}]")


def figures(measured: Utilization, command: str) -> list[Shown]:
    """Five of them, each with the paper's figure or table that it repeats."""
    return [
        _pairs_of_layers(
            measured,
            command,
            measured.angular,
            key="angular_distance",
            title="Does each layer change what the model thinks?",
            unit="angle / π",
            sentence="How far apart the document's vector is after two layers: 0 is the same "
            "direction, 0.5 a right angle. Low numbers next to the diagonal are layers that pass "
            "on what they got. (The [CLS] vector, as in Figures 3, 5 and 7 of the paper.)",
        ),
        _pairs_of_layers(
            measured,
            command,
            measured.kl_layers,
            key="attention_of_layers",
            title="Do layers look at different words?",
            unit="nats",
            sentence="How differently two layers spread their attention over the words: 0 is "
            "alike, higher is more different. (KL divergence of the row's layer from the "
            "column's, averaged over heads first; Figures 4, 6 and 8 of the paper.)",
        ),
        _by_layer(measured, command),
        _by_head(
            measured,
            command,
            measured.head_distinctness,
            key="distinctness_of_heads",
            title="Which heads look where no other head looks?",
            sentence="How much each head's attention differs from the other heads of its layer: "
            "near 0 it repeats them, and could be left out.",
        ),
        _by_head(
            measured,
            command,
            measured.head_entropy,
            key="entropy_of_heads",
            title="Which heads look at one word, and which at all?",
            sentence="Over how many words each head spreads its attention: near 0 it looks at one "
            f"word; {measured.uniform_entropy:.1f} would be at all of them alike.",
        ),
    ]


def _pairs_of_layers(
    measured: Utilization,
    command: str,
    values: Matrix,
    *,
    key: str,
    title: str,
    unit: str,
    sentence: str,
) -> Shown:
    n_layers = measured.n_layers
    table = values.tolist()
    near = [
        (value, i, j) for i, row in enumerate(table, 1) for j, value in enumerate(row, 1) if i < j
    ]
    most, least = max(near, default=None), min(near, default=None)
    spoken = f"A square of {n_layers} layers. " + " ".join(
        f"{word}: layers {one[1]} and {one[2]}, {one[0]:.2f}."
        for word, one in (("Most alike", least), ("Most different", most))
        if one is not None
    )
    return Shown(
        key=f"{key}_{measured.query}",
        title=title,
        sentence=sentence,
        label=_label(measured),
        command=command,
        figure=heatmap_figure(table, rows="layer", columns="layer", unit=unit, dark=is_dark()),
        columns=("layer", *(f"layer {n}" for n in range(1, n_layers + 1))),
        rows=_table(table),
        alt=spoken,
    )


def _by_layer(measured: Utilization, command: str) -> Shown:
    entropy, distinct = measured.entropy.tolist(), measured.kl_heads.tolist()
    rows: list[tuple[Cell, ...]] = [
        (layer, round(one, 3), round(other, 3))
        for layer, (one, other) in enumerate(zip(entropy, distinct, strict=True), 1)
    ]
    return Shown(
        key=f"attention_by_layer_{measured.query}",
        title="How wide does each layer look, and do its heads divide the work?",
        sentence="The first line: over how many words a layer spreads its attention (0 is one "
        f"word, {measured.uniform_entropy:.1f} would be all alike). The second: how differently its "
        "heads look. A layer where both are low does little. (Table 2 of the paper; its averages "
        "over layers are 3.05 and 1.82 for FLAT, 3.74 and 2.27 for LAST-SIX; here they are "
        f"{sum(entropy) / len(entropy):.2f} and {sum(distinct) / len(distinct):.2f}.)",
        label=_label(measured),
        command=command,
        figure=layers_figure(
            [("width of attention (entropy)", entropy), ("difference of heads (KL)", distinct)],
            dark=is_dark(),
        ),
        columns=("layer", "entropy, nats", "KL between heads, nats"),
        rows=rows,
        alt="; ".join(f"layer {n}: entropy {e:.2f}, KL {k:.2f}" for n, e, k in rows),
    )


def _by_head(
    measured: Utilization, command: str, values: Matrix, *, key: str, title: str, sentence: str
) -> Shown:
    table = values.tolist()
    return Shown(
        key=f"{key}_{measured.query}",
        title=title,
        sentence=sentence,
        label=_label(measured),
        command=command,
        figure=heatmap_figure(table, rows="layer", columns="head", unit="nats", dark=is_dark()),
        columns=("layer", *(f"head {n}" for n in range(1, measured.n_heads + 1))),
        rows=_table(table),
        alt="; ".join(
            f"layer {n}: {min(row):.2f} to {max(row):.2f}" for n, row in enumerate(table, 1)
        ),
    )


def _table(values: list[list[float]]) -> list[tuple[Cell, ...]]:
    return [(n, *(round(value, 4) for value in row)) for n, row in enumerate(values, 1)]


def _label(measured: Utilization) -> str:
    """Query rows, split and documents, and whose they are."""
    name = measured.about.get("name", "")
    return f"Query rows: {measured.label}{f'; model {name}' if name else ''}."
