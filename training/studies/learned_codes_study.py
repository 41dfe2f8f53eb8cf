"""What finished documents teach where codes are assigned: names alone, or beside a model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core import metrics
from core.review.reports.learning import K, Values, judge_orders
from core.suggest.cold_start.suggester import EXPECTED_OF_CODES
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.protocol import FinishedDocument, Suggester
from core.suggest.ranking.candidates import LEAST_EXPECTED
from training.corpora.corpus import LabelledDocument
from training.judging.coded import CodedDocuments
from training.results.tables import markdown

Cases = Sequence[LabelledDocument]

AFTER = (0, 10, 50, 200, 500)
"""Finished documents, before all of them."""
SHOWN = 0.1
"""Of suggestions with at least this probability it is judged whether it holds."""
SUGGESTIONS = 300


@dataclass(frozen=True, slots=True)
class Taught:
    """How good suggestions are after so many finished documents; all in [0, 1].

    Attributes:
        ndcg, mean_average_precision, micro_f1: nDCG@5, MAP, and micro-F1 of what is more probable
            than not.
        right: of the first five.
        calibration: expected calibration error of what is shown.
        low, high: 95 % interval of the difference in nDCG@5 to no finished document.
    """

    n_finished: int
    ndcg: float
    right: float
    mean_average_precision: float
    micro_f1: float
    calibration: float
    low: float
    high: float


def taught(suggester: CorrectedSuggester, finished: Cases, judged: Cases) -> Iterator[Taught]:
    """Yield how good suggestions are, as more and more documents are finished by their codes.

    Args:
        suggester: has learned nothing yet.
        judged: documents that are never finished.
    """
    before: Values | None = None
    n_known = 0
    for number in (*(n for n in AFTER if n < len(finished)), len(finished)):
        suggester.learn([_finished(suggester, case) for case in finished[n_known:number]])
        n_known = number
        ranked = ranked_by(suggester, judged)
        values, right = judge_orders(list(map(list, ranked.gold)), _orders(ranked))
        before = values if before is None else before
        gain = metrics.paired_bootstrap(values, before)
        yield Taught(
            n_finished=number,
            ndcg=metrics.mean_defined(values),
            right=K * metrics.mean_defined(right),
            mean_average_precision=metrics.mean_defined(ranked.precisions()),
            micro_f1=float(ranked.counted(0.5).f1()),
            calibration=metrics.expected_calibration_error(
                ranked.hits, ranked.probs, minimum=SHOWN
            ),
            low=gain.low,
            high=gain.high,
        )


def _finished(suggester: CorrectedSuggester, case: LabelledDocument) -> FinishedDocument:
    chances = suggester.chances(case.document)
    counted = {code: chance for code, chance in chances.items() if chance >= LEAST_EXPECTED}
    return FinishedDocument(case.document, 1, tuple(case.assigned), (), counted)


def ranked_by(suggester: Suggester, cases: Cases) -> CodedDocuments:
    """Return what a suggester finds in some cases, in the shape in which codes are judged."""
    predictions = suggester.suggest_batch((case.document for case in cases), limit=SUGGESTIONS)
    rankings: list[Mapping[str, float]] = [
        {suggestion.concept_id: suggestion.probability for suggestion in p.suggestions}
        for p in predictions
    ]
    codes = sorted({code for probabilities in rankings for code in probabilities})
    probs = pd.DataFrame(rankings, columns=codes, dtype=float).fillna(0.0).to_numpy()
    gold = tuple(frozenset(case.assigned) for case in cases)
    return CodedDocuments(tuple(codes), probs, gold)


def _orders(coded: CodedDocuments) -> list[list[str]]:
    best = metrics.top_columns(coded.probs, K)
    return [
        [coded.codes[column] for column in row if coded.probs[number, column] > 0]
        for number, row in enumerate(best.tolist())
    ]


def learned_page(tables: Sequence[tuple[str, Sequence[Taught]]], *, command: str) -> str:
    """Return the page in Markdown.

    Args:
        tables: of each, what is suggested from and for which documents, and its rows.
    """
    parts = [
        "# Codes that learn from finished documents",
        f"By `{command}`.",
        "Documents are finished by their gold codes, and others are judged; shares are in percent. "
        f"Calibration error: of suggestions with a probability of {SHOWN:.0%} and more. The interval "
        "is of the difference in nDCG@5 to no finished document (paired bootstrap, 95 %). How much "
        "few documents change probabilities was chosen on CodiEsp dev and on these reports.",
    ]
    head = [
        "Finished",
        "nDCG@5",
        "difference",
        "Right of five",
        "MAP",
        "Micro-F1 at 0.5",
        "Calibration error",
    ]
    for title, rows in tables:
        parts += [f"## {title}", markdown(head, [_row(row) for row in rows])]
    return "\n\n".join(parts) + "\n"


def save_expected(cases: Sequence[Taught], reports: Sequence[Taught]) -> None:
    """Write down what is to be expected without a model, for the page of a vocabulary.

    It is never less than with fewer documents: what a few of them take away is no more than chance.
    """
    of_reports = {row.n_finished: row.right for row in reports}
    both = [row for row in cases if row.n_finished in of_reports]
    right = [(row.right, of_reports[row.n_finished]) for row in both]
    risen = np.maximum.accumulate(np.array(right), axis=0).round(3).tolist()
    rows = [[row.n_finished, *shares] for row, shares in zip(both, risen, strict=True)]
    EXPECTED_OF_CODES.write_text(json.dumps(rows) + "\n", "utf-8")


def _row(row: Taught) -> list[str]:
    difference = f"{100 * row.low:+.1f} to {100 * row.high:+.1f}" if row.n_finished else ""
    means = (row.mean_average_precision, row.micro_f1, row.calibration)
    shown = [f"{100 * value:.1f}" for value in means]
    return [f"{row.n_finished:,}", f"{100 * row.ndcg:.1f}", difference, f"{row.right:.2f}", *shown]
