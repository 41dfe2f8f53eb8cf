"""How good hints before finishing are: whether a concept that was taken away from a document is
called missed, and one that was put in odd.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core import metrics
from core.boundaries import MEASUREMENT_FILES
from core.review import hints
from core.review.decisions.decided import ACCEPTED
from core.review.hints import TEXTS, TITLES, probably_missed, probably_odd
from core.serving.queue import SUGGESTION_LIMIT
from core.suggest.protocol import FinishedDocument, Learner, Suggester
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from training.corpora.corpus import LabelledDocument, full_texts
from training.judging.recorded import POINTS, write_study
from training.results.tables import markdown

Values = npt.NDArray[np.float64]

N_FOREIGN = 5
"""Foreign concepts of each kind that are put into a document, one at a time."""
SEED = 0
MISSED, ODD, NEAR = "missed", "odd", "odd beside its like"


@dataclass(frozen=True, slots=True)
class HintPoint:
    """What was found of one kind of hints on documents of one kind.

    Attributes:
        documents: "titles" or "full texts".
        hint: "missed", "odd", or "odd beside its like", where the foreign concept has the same
            broader one as a concept of the document.
        found, low, high: share of the cases in which it is pointed out, and its 95 % interval.
        needless: how many are pointed out on documents as they were indexed, on average.
    """

    documents: str
    hint: str
    n_documents: int
    found: float
    low: float
    high: float
    needless: float


@dataclass(frozen=True, slots=True)
class HintMeasurement:
    """What a command found.

    Attributes:
        what: the documents and what suggests for them, in a few words.
        vocabulary: its id, or "no model".
    """

    what: str
    vocabulary: str
    split: str
    command: str
    points: tuple[HintPoint, ...]


@dataclass(frozen=True, slots=True)
class ReadDocumentWithGold:
    """What is suggested for a document, and the concepts that it was given, in a drawn order."""

    prediction: Prediction
    gold: tuple[str, ...]


def measure(
    suggester: Suggester, documents: Sequence[LabelledDocument], hierarchy: Hierarchy
) -> Iterator[HintPoint]:
    """Yield what is found on titles and on full texts, as far as there are any."""
    titled = [row.title_alone() for row in documents if row.document.title]
    for kind, rows in ((TITLES, titled), (TEXTS, full_texts(documents))):
        if rows:
            yield from points_of(kind, read(suggester, rows), hierarchy)


def teach(suggester: Suggester, documents: Sequence[LabelledDocument], number: int) -> None:
    """Let what learns know documents, drawn by chance, as if they had been finished."""
    drawn = np.random.default_rng(SEED).permutation(len(documents))[:number].tolist()
    if isinstance(suggester, Learner):
        suggester.learn(
            [
                FinishedDocument(documents[n].document, 1, tuple(documents[n].assigned), ())
                for n in drawn
            ]
        )


def read(suggester: Suggester, documents: Sequence[LabelledDocument]) -> list[ReadDocumentWithGold]:
    """Suggest for documents to which something was assigned, as the app does."""
    generator = np.random.default_rng(SEED)
    rows = [row for row in documents if row.assigned]
    predictions = suggester.suggest_batch([row.document for row in rows], limit=SUGGESTION_LIMIT)
    return [
        ReadDocumentWithGold(
            prediction, tuple(generator.permutation(sorted(set(row.assigned))).tolist())
        )
        for row, prediction in zip(rows, predictions, strict=True)
    ]


def points_of(
    kind: str, rows: Sequence[ReadDocumentWithGold], hierarchy: Hierarchy
) -> Iterator[HintPoint]:
    """Yield what is found on read documents: missed, odd, and odd where that is hard to see."""
    missed = [len(missed_of(row, hierarchy)) for row in rows]
    odd = [len(probably_odd(row.prediction, row.gold)) for row in rows]
    drawing = ForeignConcepts(rows, hierarchy)
    for hint, shares, needless in (
        (MISSED, missed_shares(rows, hierarchy), missed),
        (ODD, odd_shares(rows, drawing.any), odd),
        (NEAR, odd_shares(rows, drawing.alike), odd),
    ):
        measured_shares = shares[~np.isnan(shares)]
        if len(measured_shares):
            yield _point(kind, hint, measured_shares, needless)


def _point(kind: str, hint: str, shares: Values, needless: Sequence[int]) -> HintPoint:
    interval = metrics.paired_bootstrap(shares, np.zeros(len(shares)))
    mean, low, high = interval.mean_difference, interval.low, interval.high
    return HintPoint(kind, hint, len(shares), mean, low, high, float(np.mean(needless)))


# ---------------------------------------------------------------------- what is found


def missed_shares(rows: Sequence[ReadDocumentWithGold], hierarchy: Hierarchy) -> Values:
    """Return in what share of the cases a concept of a document, each taken away in turn, is called
    missed, (n_documents,); NaN where nothing else was assigned.
    """
    return np.array(
        [
            np.mean([i in missed_of(row, hierarchy, without=i) for i in row.gold])
            if len(row.gold) > 1
            else np.nan
            for row in rows
        ]
    )


def missed_of(
    row: ReadDocumentWithGold, hierarchy: Hierarchy, *, without: str = ""
) -> tuple[str, ...]:
    """Return what is called missed where all concepts but one are accepted."""
    states = {concept_id: ACCEPTED for concept_id in row.gold if concept_id != without}
    return probably_missed(row.prediction, states, hierarchy)


def odd_shares(
    rows: Sequence[ReadDocumentWithGold], draw: Callable[[ReadDocumentWithGold], list[str]]
) -> Values:
    """Return in what share of the cases a foreign concept is called odd, (n_documents,).

    Args:
        draw: gives foreign concepts, each of which is put in alone, at a drawn place; NaN where
            it gives none.
    """
    generator = np.random.default_rng(SEED)

    def is_odd(row: ReadDocumentWithGold, foreign: str) -> bool:
        place = int(generator.integers(len(row.gold) + 1))
        accepted = (*row.gold[:place], foreign, *row.gold[place:])
        return foreign in probably_odd(row.prediction, accepted)

    shares = ([is_odd(row, foreign) for foreign in draw(row)] for row in rows)
    return np.array([np.mean(hits) if hits else np.nan for hits in shares])


class ForeignConcepts:
    """Draws concepts of other documents, by how often they were assigned."""

    def __init__(self, rows: Iterable[ReadDocumentWithGold], hierarchy: Hierarchy) -> None:
        self._counts = Counter(concept_id for row in rows for concept_id in row.gold)
        self._hierarchy = hierarchy
        self._generator = np.random.default_rng(SEED)
        self._below: defaultdict[str, set[str]] = defaultdict(set)
        for concept_id in self._counts:
            for broader in self._broader(concept_id):
                self._below[broader].add(concept_id)

    def any(self, row: ReadDocumentWithGold) -> list[str]:
        """Draw among all concepts that the document was not given."""
        return self._draw(self._counts.keys() - set(row.gold))

    def alike(self, row: ReadDocumentWithGold) -> list[str]:
        """Draw among concepts that share a broader concept with one of the document's."""
        above = {broader for concept_id in row.gold for broader in self._broader(concept_id)}
        below = set[str]().union(*(self._below[broader] for broader in above))
        return self._draw(below - set(row.gold))

    def _broader(self, concept_id: str) -> tuple[str, ...]:
        return self._hierarchy.broader(concept_id) if concept_id in self._hierarchy else ()

    def _draw(self, concept_ids: set[str]) -> list[str]:
        if not concept_ids:
            return []
        ordered = sorted(concept_ids)
        weights = np.array([self._counts[i] for i in ordered], dtype=float)
        drawn = self._generator.choice(len(ordered), N_FOREIGN, p=weights / weights.sum())
        return [ordered[n] for n in drawn.tolist()]


# ---------------------------------------------------------------------- the page


def study_page(measured: Sequence[HintMeasurement]) -> str:
    """Return the measurements as a table, with their commands."""
    parts = [
        "# Hints before finishing",
        "Of each document, every concept is taken away in turn: is it among the three that are "
        f"called *probably missed* (undecided, at least {100 * hints.LEAST_MISSED:.0f} % probable, neither "
        "above nor below an accepted one)? And foreign concepts, drawn by how often they were "
        f"assigned, are put in, {N_FOREIGN} for a document and one at a time: are they among the "
        "three that are called "
        f"*doubtful* (accepted, at most {100 * hints.MOST_ODD:.0f} % probable or not suggested)? "
        "*Beside its like*: the foreign one has the same broader concept as one of the document. "
        "*Needless*: how many are pointed out on documents as they were indexed. "
        f"What is found in more than {100 * hints.WORTH:.0f} % of the cases, with at most "
        f"{hints.MOST_NEEDLESS} needless ones, is shown.",
        "## What is found",
        _table(measured),
        "## Commands",
        "\n".join(f"    {measurement.command}" for measurement in measured),
    ]
    return "\n\n".join(parts) + "\n"


def _table(measured: Sequence[HintMeasurement]) -> str:
    header = ["Measured on", "Split", "Documents", "Hint", "Judged", "Found (95 % interval)"]
    body = [_row(measurement, point) for measurement in measured for point in measurement.points]
    return markdown([*header, "Needless", "Shown"], body)


def _row(measurement: HintMeasurement, point: HintPoint) -> list[str]:
    share = f"{point.found:.1%} ({point.low:.1%} to {point.high:.1%})".replace("%", " %")
    is_shown = hints.HintQuality(point.found, point.needless).is_worth_it
    shown = "" if point.hint == NEAR else "yes" if is_shown else "no"
    cells = [
        measurement.what,
        measurement.split,
        point.documents,
        point.hint,
        f"{point.n_documents:,}",
    ]
    return [*cells, share, f"{point.needless:.2f}", shown]


def save_study(folder: Path, measured: HintMeasurement) -> str:
    """Keep a measurement beside the others in a folder, in the place of an earlier one of the same
    documents; returns the page.
    """
    others = [
        row
        for row in _known(folder / POINTS)
        if (row.what, row.split) != (measured.what, measured.split)
    ]
    every = sorted([*others, measured], key=lambda row: (row.what, row.split))
    page = study_page(every)
    write_study(folder, page, every)
    return page


def _known(path: Path) -> list[HintMeasurement]:
    if not path.is_file():
        return []
    with MEASUREMENT_FILES.translated("{path} cannot be read ({reason}).", path=path):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return [
            HintMeasurement(**{**row, "points": tuple(HintPoint(**p) for p in row["points"])})
            for row in rows
        ]


def record_measured(measured: HintMeasurement) -> None:
    """Write what decides whether hints are shown for a vocabulary; the others stay."""
    path = hints.MEASURED
    measurements = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    kinds: defaultdict[str, dict[str, list[float]]] = defaultdict(dict)
    for point in measured.points:
        if point.hint != NEAR:
            kinds[point.documents][point.hint] = [round(point.found, 3), round(point.needless, 2)]
    text = json.dumps({**measurements, measured.vocabulary: kinds}, indent=1, sort_keys=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", "utf-8")
