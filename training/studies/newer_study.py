"""What a year of age costs a bundle, and what it gains where it is refreshed: a rolling twin.

Documents that came after those that a bundle has learned from are parted: it may learn the earlier
texts and two thirds of the titles, and is judged on the later texts and on the other titles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.progress import track

from core import metrics
from core.errors import ConfigError
from core.model.bundle.bundle import load_bundle
from core.model.bundle.coverage import N_LISTED, Coverage
from core.model.bundle.manifest import read_manifest, record_about
from core.review.reports.learning import K, judge_orders
from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.opening import load_suggester
from core.suggest.protocol import FinishedDocument, Suggester, find_part
from core.suggest.ranking.suggester import RankedSuggester
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from training.corpora.corpus import LabelledDocument
from training.results.tables import markdown

Values = npt.NDArray[np.float64]
Halves = tuple[list[LabelledDocument], list[LabelledDocument]]

FIRST_YEAR_JUDGED = "2020"
"""Of texts, by the year in their CELEX number."""
JUDGED_TITLES = 3
"""One title of so many, drawn by chance with this seed from all in the order of their ids."""
SEED = 2021
N_FIRST = 8
LEAST_ASSIGNED = 100
"""Concepts, on which the share of a year is measured; of the first year any."""
N_SHOWN = 25
"""Suggestions that the page shows at first."""
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


def coverage_of(
    predictions: Mapping[str, Prediction],
    documents: Sequence[LabelledDocument],
    learned_to: int,
    least: int = LEAST_ASSIGNED,
) -> Coverage:
    """Return the share of assigned concepts among the suggestions, by kind and age.

    Args:
        predictions: by document id, of up to `N_LISTED` suggestions.
        learned_to: year of the newest documents that the bundle has learned from.
    """
    shares: dict[bool, dict[int, list[float]]] = {False: {}, True: {}}
    for row in documents:
        age = max(int(year_of(row)) - learned_to, 1)
        listed = {suggestion.concept_id for suggestion in predictions[row.document_id].suggestions}
        shares[row.is_full_text].setdefault(age, []).extend(i in listed for i in row.assigned)
    by_kind = {
        is_text: tuple(
            round(float(np.mean(of[age])), 4)
            for age in sorted(of)
            if len(of[age]) >= least or age == 1
        )
        for is_text, of in shares.items()
    }
    return Coverage(learned_to, by_kind[False], by_kind[True])


def promised_table(
    predictions: Mapping[str, Prediction],
    documents: Sequence[LabelledDocument],
    coverage: Coverage,
    n_shown: int,
) -> str:
    """Return a table of what the page says is found among the shown suggestions, and what is."""
    promised, is_found = [], []
    for row in documents:
        suggestions = predictions[row.document_id].suggestions
        chances = [suggestion.probability for suggestion in suggestions]
        shown = {suggestion.concept_id for suggestion in suggestions[:n_shown]}
        share = coverage.share(int(year_of(row)), has_text=row.is_full_text)
        promised.append(share * sum(chances[:n_shown]) / max(sum(chances), 1e-9))
        is_found.append(len(shown & set(row.assigned)) / len(row.assigned))
    rows = [
        (
            kind,
            f"{100 * np.mean(np.array(promised)[n]):.1f}",
            f"{100 * np.mean(np.array(is_found)[n]):.1f}",
        )
        for kind, n in _groups(documents)
    ]
    return markdown(("documents", f"% found among {n_shown}, as shown", "as it is"), rows)


def record_coverage(into: Path, bundle: Path, parts: Halves, learned_to: int) -> str:
    """Write the coverage of a bundle into the card of another, of the same recipe.

    The card gets what is measured on all documents; the table says what is shown for the half that
    is judged, where only the other half was measured.
    """
    suggester = load_suggester(bundle)
    documents = [row for part in parts for row in part]
    read = suggester.suggest_batch([row.document for row in documents], limit=N_LISTED)
    predictions = {row.document_id: p for row, p in zip(documents, read, strict=True)}
    every = coverage_of(predictions, documents, learned_to)
    newest = read_manifest(into).get("training", {}).get("refreshed", {}).get("newest", "")
    of_other = replace(every, learned_to=int(newest[:4] or learned_to))
    record_about(into, of_other.as_json())
    measured = coverage_of(predictions, parts[0], learned_to)
    return promised_table(predictions, parts[1], measured, N_SHOWN)


def one_by_one(bundle: Path, documents: Sequence[LabelledDocument]) -> str:
    """Return a table of documents in the order of their dates, each learned before the next.

    New is a concept that none of the documents has that the bundle compares with, and one of those
    before.
    """
    model, space = load_suggester(bundle), load_bundle(bundle).label_space
    ranked = find_part(model, RankedSuggester)
    if ranked is None:
        raise ConfigError(f"{bundle} has no ranker, so that its documents are not counted.")
    counts = ranked.features.indexed.n_assigned
    ids = np.array(list(space.assignable_position))
    unlearned = frozenset(ids[counts == 0].tolist())
    rows = []
    for kind, is_text in (("titles", False), ("full texts", True)):
        of_kind = sorted(
            (row for row in documents if row.is_full_text == is_text),
            key=lambda row: (row.date, row.document_id),
        )
        learned = _learned_one_by_one(model, space.hierarchy, of_kind, unlearned)
        rows.append((f"{kind} ({len(of_kind):,})", *learned))
    return markdown(
        ("documents", "nDCG@5, model alone", "learning", "new concepts", "of these among eight"),
        rows,
    )


def _learned_one_by_one(
    model: Suggester,
    hierarchy: Hierarchy,
    documents: Sequence[LabelledDocument],
    unlearned: Collection[str],
) -> tuple[str, str, str, str]:
    labels = partial(ColdStartSuggester.of_vocabulary, hierarchy)
    suggester = CorrectedSuggester(model, hierarchy, labels)
    seen: set[str] = set()
    gold, alone, learned = [], [], []
    n_new = n_found = 0
    for row in track(documents, "documents", transient=True):
        prediction = suggester.suggest(row.document, limit=N_FIRST)
        chances = suggester.chances(row.document)
        first = [suggestion.concept_id for suggestion in prediction.suggestions]
        gold.append(row.assigned)
        alone.append(sorted(chances, key=lambda i: -chances[i])[:N_FIRST])
        learned.append(first)
        new = {i for i in row.assigned if i in unlearned and i in seen}
        n_new, n_found = n_new + len(new), n_found + len(new.intersection(first))
        seen.update(row.assigned)
        suggester.learn([FinishedDocument(row.document, 1, row.assigned, (), chances)])
    ndcg = [
        f"{100 * metrics.mean_defined(judge_orders(gold, of)[0]):.1f}" for of in (alone, learned)
    ]
    return ndcg[0], ndcg[1], f"{n_new:,}", f"{n_found:,}"


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
