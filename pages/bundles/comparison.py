"""Two models side by side: every fact and every figure, with what differs marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from core.model.bundle.cards import BundleCard
from pages.bundles.card import (
    FIGURES,
    KINDS,
    facts,
    licence,
    one_line,
    percent,
    split_name,
    splits,
    table,
)
from pages.components.markdown import plain

LEFT_KEY, RIGHT_KEY = "models_left", "models_right"
ONLY_KEY = "models_only_differences"
# What differs between any two bundles, and does not say which is better.
NO_DIFFERENCE = frozenset({"Identity", "Folder"})
SAME = 5e-5  # figures are stored with four digits

Pair = tuple[str, str, str]


def render_comparison(cards: Sequence[BundleCard], served: BundleCard | None) -> None:
    """Draw two boxes to choose from, and a table; of bundles that can be read only."""
    readable = {label(card, cards): card for card in cards if card.sha256}
    if len(readable) < 2:
        st.markdown(
            ":small[With a second bundle in the folder of models, two can be compared here.]"
        )
        return
    names = list(readable)
    directory = served.directory if served else None
    first = next((n for n in names if readable[n].directory == directory), names[0])
    second = next(name for name in names if name != first)
    _keep_chosen(LEFT_KEY, names, first)
    _keep_chosen(RIGHT_KEY, names, second)
    with st.container(horizontal=True, vertical_alignment="bottom", key="compared"):
        left = st.selectbox("One model", names, format_func=plain, key=LEFT_KEY)
        right = st.selectbox("The other", names, format_func=plain, key=RIGHT_KEY)
    only = st.toggle("Only what differs", key=ONLY_KEY)
    render_table(readable[left], readable[right], heads=(left, right), only_differences=only)


def label(card: BundleCard, cards: Sequence[BundleCard]) -> str:
    """Return the name of a bundle, with as much of its folder as tells it from others."""
    others = [other for other in cards if other.directory != card.directory]
    taken = {name for other in others for name in _names(other)}
    return next((name for name in _names(card) if name not in taken), str(card.directory))


def _names(card: BundleCard) -> tuple[str, ...]:
    folder = card.directory
    places = (folder.name, f"{folder.parent.name}/{folder.name}", folder)
    return (card.name, *(f"{card.name} ({place})" for place in places))


def render_table(
    card: BundleCard, other: BundleCard, *, heads: tuple[str, str], only_differences: bool
) -> None:
    """Draw the facts, then the figures of each split."""
    left, right = (one_line(head) for head in heads)
    rows = [
        _marked(pair)
        for pair in compared_facts(card, other)
        if not only_differences or _differs(pair)
    ]
    if rows:
        st.markdown(table(["", left, right], rows).replace("---:", "---"))
    for split in splits(card, other):
        pairs = list(compared_figures(card, other, split))
        lines = [line for line in pairs if line[3] or not only_differences]
        if lines:
            head = [one_line(f"{split_name(split)}, in percent"), left, right, "Difference"]
            st.markdown(table(head, (_figure_row(line) for line in lines)))
    st.markdown(
        ":small[:orange-background[Marked]: the two differ. Bold: the better figure. All figures "
        "are what each bundle says of itself; compare them only where both were measured on the "
        "same documents.]"
    )


def compared_facts(card: BundleCard, other: BundleCard) -> list[Pair]:
    """Return name, value on the left, value on the right; licences too."""
    left, right = dict(facts(card) + licence(card)), dict(facts(other) + licence(other))
    return [
        (name, left.get(name, "–"), right.get(name, "–")) for name in dict.fromkeys([*left, *right])
    ]


def compared_figures(
    card: BundleCard, other: BundleCard, split: str
) -> Iterator[tuple[str, float | None, float | None, float | None]]:
    """Yield the name of each figure, both values, and right minus left where they differ."""
    left, right = card.metrics.get(split, {}), other.metrics.get(split, {})
    for kind in dict.fromkeys([*KINDS, *left, *right]):
        mine, theirs = left.get(kind, {}), right.get(kind, {})
        for name in dict.fromkeys([*FIGURES, *mine, *theirs]):
            a, b = mine.get(name), theirs.get(name)
            if a is None and b is None:
                continue
            words = f"{KINDS.get(kind, kind)}: {FIGURES.get(name, name)}"
            differs = a is not None and b is not None and abs(a - b) > SAME
            yield words, a, b, b - a if differs and a is not None and b is not None else None


def _differs(pair: Pair) -> bool:
    name, left, right = pair
    return name not in NO_DIFFERENCE and left != right


def _marked(pair: Pair) -> list[str]:
    name, *values = pair
    cells = [one_line(value) for value in values]
    if _differs(pair):
        cells = [f":orange-background[{cell}]" for cell in cells]
    return [one_line(name), *cells]


def _figure_row(line: tuple[str, float | None, float | None, float | None]) -> list[str]:
    name, a, b, difference = line
    left, right = percent(a), percent(b)
    if difference is None:
        return [one_line(name), left, right, ""]
    left, right = (f"**{left}**", right) if difference < 0 else (left, f"**{right}**")
    sign = "+" if difference > 0 else "−"
    return [one_line(name), left, right, f":orange-background[{sign}{percent(abs(difference))}]"]


def _keep_chosen(key: str, names: Sequence[str], otherwise: str) -> None:
    if st.session_state.get(key) not in names:
        st.session_state[key] = otherwise
