"""What a year of age costs a bundle, and what it gains where it is refreshed: a rolling twin.

Documents that came after those that a bundle has learned from are parted: it may learn the earlier
texts and two thirds of the titles, and is judged on the later texts and on the other titles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core import metrics
from core.review.reports.learning import K, judge_orders
from core.suggest.opening import load_suggester
from training.corpora.corpus import LabelledDocument
from training.results.tables import markdown

Values = npt.NDArray[np.float64]
Halves = tuple[list[LabelledDocument], list[LabelledDocument]]

FIRST_YEAR_JUDGED = "2020"
"""Of texts, by the year in their CELEX number."""
JUDGED_TITLES = 3
"""One title of so many, drawn by chance with this seed from all in the order of their ids."""
SEED = 2021
HEAD = ("bundle", "documents", "nDCG@5", "difference to the first")


def halves(documents: Sequence[LabelledDocument]) -> Halves:
    """Return the documents that may be learned, and those by which bundles are judged."""
    titles = sorted(row.document_id for row in documents if not row.is_full_text)
    order = np.random.default_rng(SEED).permutation(len(titles)).tolist()
    drawn = {titles[n] for n in order[: len(titles) // JUDGED_TITLES]}
    learned: list[LabelledDocument] = []
    judged: list[LabelledDocument] = []
    for row in documents:
        is_late = row.is_full_text and year_of(row) >= FIRST_YEAR_JUDGED
        (judged if is_late or row.document_id in drawn else learned).append(row)
    return learned, judged


def year_of(row: LabelledDocument) -> str:
    """Return the year in a CELEX number, 32018R0643."""
    return row.document_id[1:5]


def judge(bundle: Path, documents: Sequence[LabelledDocument]) -> Values:
    """Return nDCG@5 of each document, (n_documents,)."""
    predictions = load_suggester(bundle).suggest_batch([row.document for row in documents], limit=K)
    orders = [
        [suggestion.concept_id for suggestion in prediction.suggestions]
        for prediction in predictions
    ]
    ndcg, _ = judge_orders([row.assigned for row in documents], orders)
    return np.asarray(ndcg, dtype=np.float64)


def newer_table(values: Mapping[str, Values], documents: Sequence[LabelledDocument]) -> str:
    """Return a table of bundles by kind and year, the first being what others are compared with.

    Args:
        values: name of a bundle -> nDCG@5 of each document.
    """
    first = next(iter(values.values()))
    rows = []
    for kind, chosen in _groups(documents):
        for name, of_bundle in values.items():
            gain = metrics.paired_bootstrap(of_bundle[chosen], first[chosen], n_resamples=2_000)
            apart = f"{100 * gain.mean_difference:+.1f} ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})"
            mean = f"{100 * metrics.mean_defined(of_bundle[chosen]):.1f}"
            rows.append((name, kind, mean, "" if of_bundle is first else apart))
    return markdown(HEAD, rows)


def _groups(documents: Sequence[LabelledDocument]) -> Iterator[tuple[str, npt.NDArray[np.intp]]]:
    """Yield titles and full texts, all of them and by year."""
    years = np.array([year_of(row) for row in documents])
    is_text = np.array([row.is_full_text for row in documents])
    for kind, of_kind in (("titles", ~is_text), ("full texts", is_text)):
        for year in ("", *sorted(set(years[of_kind].tolist()))):
            chosen = np.flatnonzero(of_kind & (years == year) if year else of_kind)
            name = f"{kind} of {year}" if year else kind
            if len(chosen):
                yield f"{name} ({len(chosen):,})", chosen
