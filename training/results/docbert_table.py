"""Table 2 of Adhikari et al. (2019) from rows: models on Reuters beside the published values.

The published threshold is 0.5 for all, so that stands first; one threshold chosen on dev, and
macro-F1 at both, stand in a table of their own. A row whose training ended at its time limit rather
than by itself is marked and not compared with the published value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from training.judging.rows import ResultRow
from training.results.published import (
    COMPARED,
    OURS,
    TABLE_2,
    TOLERANCE,
    PublishedRow,
    base_of,
    title_of,
)
from training.results.report import remarks
from training.results.tables import CAPPED, RowsByArm, Spread, markdown

PAPER_TOKENS = 512
PAPER_PRESET, PAPER_EPOCHS = "docbert", 30
SMALL_ENCODER = "minilm-l6"
OWN_VECTORS = ("sgm",)
"""Networks whose authors let word vectors start at random."""


def is_capped(rows: Sequence[ResultRow]) -> bool:
    """Return whether the training of any of the rows ended at its time limit."""
    return any(bool(row.facts.get("capped")) for row in rows)


def mark(rows: Sequence[ResultRow], numbers: Sequence[int]) -> str:
    """Return what stands behind a model's name: that it had not converged, and its footnotes."""
    signs = [CAPPED] if is_capped(rows) else []
    signs += [str(number) for number in numbers]
    return f" [{', '.join(signs)}]" if signs else ""


AT_HALF, TUNED = "micro_f1@0.5", "micro_f1"
MACRO_AT_HALF, MACRO_TUNED = "macro_f1@0.5", "macro_f1"
NOTHING = "–"
NO_DIFFERENCE = "The finished rows do not differ from the paper's."

RowsBySplit = Mapping[str, RowsByArm]


def table_2(rows: RowsBySplit, *, title: str) -> str:
    """Return the whole page: both tables, what differs from the paper, and who is below it.

    Args:
        rows: split -> arm -> rows.
    """
    notes: dict[str, int] = {}
    sections = {
        "Micro-F1 (%) at 0.5, beside the published values": _at_half(rows, notes),
        "One threshold chosen on dev, and macro-F1 (%)": _tuned(rows),
        "What differs from the paper's rows": _footnotes(rows, notes) or NO_DIFFERENCE,
        "Compared with the published values": _comparison(rows),
        "Data": "\n".join(f"- {remark}" for remark in remarks(rows.get("test", {}))),
    }
    parts = [f"## {heading}\n\n{text}" for heading, text in sections.items() if text]
    return "\n\n".join([f"# {title}", *parts]) + "\n"


def _noted(rows: RowsBySplit, arm: str, notes: dict[str, int]) -> str:
    """Return the numbers of an arm's footnotes, with the mark of what had not converged.

    Args:
        notes: footnote -> number; what is new is added.
    """
    of = _all_rows(rows, arm)
    sentences = differences(of[0].facts) if of else []
    return mark(of, [notes.setdefault(note, len(notes) + 1) for note in sentences])


def _footnotes(rows: RowsBySplit, notes: Mapping[str, int]) -> str:
    """Return every footnote that was asked for, and what the mark means where it stands."""
    lines = [f"{number}. {note}" for note, number in notes.items()]
    if any(is_capped(_all_rows(rows, arm)) for of in rows.values() for arm in of):
        lines.append(
            f"\n{CAPPED} Training ended at its time limit, after the epochs that are shown, "
            "not by itself: not converged, and not compared with the published value."
        )
    return "\n".join(lines)


def _at_half(rows: RowsBySplit, notes: dict[str, int]) -> str:
    header = ["#", "Model", "Val.", "published", "Test", "published", "Test − published"]
    header += ["Seeds", "Epochs", "Minutes"]
    body = []
    for published, arm in _lines(rows):
        number = str(published.number) if published else ""
        name = f"{title_of(arm)}{_noted(rows, arm, notes)}"
        values = [
            *(str(_spread(rows, "dev", arm, AT_HALF)), _printed(published, "dev")),
            *(str(_spread(rows, "test", arm, AT_HALF)), _printed(published, "test")),
        ]
        below = _difference(rows, arm, published)
        points = NOTHING if math.isnan(below) else f"{round(below, 1) + 0.0:+.1f}"  # no -0.0
        body.append([number, name, *values, points, *_training(_all_rows(rows, arm))])
    return markdown(header, body)


def _tuned(rows: RowsBySplit) -> str:
    header = ["Model", "Threshold", "Val. micro", "Test micro"]
    header += ["Val. macro", "Test macro", "Val. macro at 0.5", "Test macro at 0.5"]
    body = []
    for _, arm in _lines(rows):
        of = _all_rows(rows, arm)
        if not of:
            continue
        thresholds = Spread.of(row.threshold for row in of if row.threshold is not None)
        shown = NOTHING if math.isnan(thresholds.mean) else f"{thresholds.mean:.2f}"
        cells = [
            str(_spread(rows, split, arm, measure))
            for measure in (TUNED, MACRO_TUNED, MACRO_AT_HALF)
            for split in ("dev", "test")
        ]
        body.append([title_of(arm), shown, *cells])
    return markdown(header, body)


def _lines(rows: RowsBySplit) -> list[tuple[PublishedRow | None, str]]:
    """Return the paper's rows in its order, then the others, each followed by its variants."""
    arms = list(dict.fromkeys(arm for of in rows.values() for arm in of))
    published = {row.arm: row for row in TABLE_2}
    bases = [*published, *(name for name in OURS if name in arms)]
    bases += [base for arm in arms if (base := base_of(arm)) not in bases]
    lines: list[tuple[PublishedRow | None, str]] = []
    for base in dict.fromkeys(bases):
        if base in published or base in arms:
            lines.append((published.get(base), base))
        lines += [(None, arm) for arm in arms if arm != base and base_of(arm) == base]
    return lines


def _comparison(rows: RowsBySplit) -> str:
    lines = []
    for published in TABLE_2:
        below = _difference(rows, published.arm, published)
        capped = is_capped(_all_rows(rows, published.arm))
        if published.arm not in COMPARED or (math.isnan(below) and not capped):
            continue
        if capped:
            verdict = "had not converged, so it is not compared."
        elif below < -TOLERANCE:
            verdict = f"is {-below:.1f} points below it: more than {TOLERANCE}, to be explained."
        else:
            verdict = f"is reproduced ({below:+.1f} points; {TOLERANCE} below are allowed)."
        lines.append(f"- {published.title} on test, published {published.test:.1f}: {verdict}")
    return "\n".join(lines)


def _difference(rows: RowsBySplit, arm: str, published: PublishedRow | None) -> float:
    if published is None or is_capped(_all_rows(rows, arm)):
        return math.nan
    return 100 * _spread(rows, "test", arm, AT_HALF).mean - published.test


def _printed(published: PublishedRow | None, split: str) -> str:
    if published is None:
        return NOTHING
    value, std = getattr(published, split), getattr(published, f"{split}_std")
    return f"{value:.1f}" if std is None else f"{value:.1f} ± {std:.1f}"


def _training(of: Sequence[ResultRow]) -> list[str]:
    if not of:
        return [NOTHING] * 3
    seeds = {row.facts.get("seed") for row in of}
    planned = Spread.of(_number(row.facts.get("setup", {}).get("epochs")) for row in of).mean
    reached = Spread.of(_number(row.facts.get("epochs")) for row in of).mean
    minutes = Spread.of(_number(row.facts.get("minutes")) for row in of).mean
    return [
        NOTHING if seeds == {None} else str(len(seeds)),
        NOTHING if math.isnan(reached) else f"{_short(reached)} of {_short(planned)}",
        NOTHING if math.isnan(minutes) else f"{minutes:.1f}",
    ]


def _short(number: float) -> str:
    return NOTHING if math.isnan(number) else f"{number:.1f}".removesuffix(".0")


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _spread(rows: RowsBySplit, split: str, arm: str, measure: str) -> Spread:
    return Spread.of(row.mean(measure) for row in rows.get(split, {}).get(arm, ()))


def _all_rows(rows: RowsBySplit, arm: str) -> Sequence[ResultRow]:
    """Return the rows of an arm on test, or, where it was not judged there, on dev."""
    return rows.get("test", {}).get(arm) or rows.get("dev", {}).get(arm) or ()


def differences(facts: Mapping[str, Any]) -> list[str]:
    """Return sentences, the weightiest first; none for a row without its setup."""
    setup = facts.get("setup") or {}
    network, encoder = setup.get("network"), str(setup.get("encoder", ""))
    found = []
    if not network and encoder:
        found.append(_encoder(encoder))
        found += _recipe(setup)
    if network and network not in OWN_VECTORS:
        found.append(_vectors(str(setup.get("vectors", "random")), encoder))
    if setup.get("teacher"):
        found.append(
            f"Teacher: {setup['teacher']}, where the paper's is BERT-LARGE; transfer set "
            f"{setup.get('transfer_copies', 1)}× the training set (paper: 3×)."
        )
    tokens = setup.get("max_length_tokens")
    if tokens and tokens < PAPER_TOKENS and not network:
        found.append(f"Reads the first {tokens} word pieces, the paper {PAPER_TOKENS}.")
    return found


def _recipe(setup: Mapping[str, Any]) -> list[str]:
    preset, epochs = setup.get("preset", PAPER_PRESET), setup.get("epochs", PAPER_EPOCHS)
    if preset != PAPER_PRESET:
        return [f"Trained by the preset `{preset}` of this laboratory, for {epochs:g} epochs."]
    if epochs < PAPER_EPOCHS:
        return [f"Planned for {epochs:g} epochs, the paper {PAPER_EPOCHS}."]
    return []


def _encoder(encoder: str) -> str:
    if SMALL_ENCODER in encoder.lower().replace("_", "-"):
        return (
            "Encoder: all-MiniLM-L6-v2 (6 layers of 384 units, 22.7 million parameters), where "
            "BERT-BASE has 12 of 768 and 110 million: no row of the paper."
        )
    return f"Encoder: {encoder}."


def _vectors(vectors: str, encoder: str) -> str:
    theirs = "the paper's are word2vec's and do not learn"
    if vectors == "random":
        return f"Word vectors start at random and learn; {theirs}."
    if vectors == "encoder":
        small = SMALL_ENCODER in encoder.lower().replace("_", "-")
        name = "all-MiniLM-L6-v2" if small else encoder
        return f"Words are the word pieces of {name}, with its embeddings; {theirs}."
    return f"Word vectors: {vectors}; {theirs}."
