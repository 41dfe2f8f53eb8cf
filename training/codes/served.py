"""What is served for notes, beside the codes that people gave: how much of it is right, and as
often as it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core import metrics
from core.clinical.encounters import with_sections
from core.suggest.protocol import Suggester
from core.vocabulary.concepts import Hierarchy
from training.corpora.corpus import LabelledDocument
from training.corpora.styles import as_one_text
from training.judging.measured import FIGURES, ArmFigures, read_figures, save_figures
from training.judging.recorded import write_text
from training.results.tables import markdown

SHOWN = 0.05
"""Least probability of what is taken as shown, where probabilities are compared with what is right."""
EVEN = 0.5
N_SUGGESTIONS = 300


@dataclass(frozen=True, slots=True)
class ServedDocument:
    """The suggestions of one document, best first, and which of them are right.

    Attributes:
        probabilities: (n_suggestions,).
        is_right: (n_suggestions,).
        n_found: of the codes that people gave, those that a suggestion of `EVEN` and more finds.
        n_gold: codes that people gave.
    """

    document_id: str
    probabilities: npt.NDArray[np.float64]
    is_right: npt.NDArray[np.bool_]
    n_found: int
    n_gold: int


def given_as(code: str, gold: frozenset[str], hierarchy: Hierarchy) -> str | None:
    """Return the given code that a suggested one finds; None where there is none.

    A given code of an earlier edition may be a category now: E87.21 finds E87.2.
    """
    if code in gold or code not in hierarchy:
        return code if code in gold else None
    above = hierarchy.ancestors(code)
    return next((i for i in sorted(gold) if i in above and not hierarchy[i].assignable), None)


def pasted(documents: Iterable[LabelledDocument]) -> tuple[LabelledDocument, ...]:
    """Return documents as they are when a person pastes their parts as one text."""
    return tuple(
        replace(row, document=with_sections(as_one_text(row.document))) for row in documents
    )


def served(
    suggester: Suggester,
    documents: Sequence[LabelledDocument],
    hierarchy: Hierarchy | None = None,
) -> list[ServedDocument]:
    """Suggest for documents as the page does.

    Args:
        hierarchy: today's vocabulary, where codes of an earlier edition count as their successors.
    """
    predictions = suggester.suggest_batch((row.document for row in documents), limit=N_SUGGESTIONS)
    served_documents = []
    for row, prediction in zip(documents, predictions, strict=True):
        codes = [suggestion.concept_id for suggestion in prediction.suggestions]
        probabilities = np.array(
            [suggestion.probability for suggestion in prediction.suggestions], dtype=float
        )
        served_documents.append(judged(row, codes, probabilities, hierarchy))
    return served_documents


def judged(
    row: LabelledDocument,
    codes: Sequence[str],
    probabilities: npt.NDArray[np.float64],
    hierarchy: Hierarchy | None = None,
) -> ServedDocument:
    """Compare ranked codes with those that people gave; each of these is found once."""
    gold = frozenset(row.assigned)
    taken: set[str] = set()
    right = np.zeros(len(codes), dtype=bool)
    for n, code in enumerate(codes):
        given = given_as(code, gold, hierarchy) if hierarchy else code if code in gold else None
        if given is not None and given not in taken:
            taken.add(given)
            right[n] = True
    n_found = int(right[probabilities >= EVEN].sum())
    return ServedDocument(row.document_id, probabilities, right, n_found, len(gold))


def figures(documents: Iterable[ServedDocument], *, folds: int = 1) -> ArmFigures:
    """Return the figures of served documents, pooled; mean average precision is over documents.

    Args:
        folds: that were judged by rankers of the others; 1 where one ranker judged all.
    """
    rows = list(documents)
    p = np.concatenate([row.probabilities for row in rows])
    right = np.concatenate([row.is_right for row in rows])
    counts = metrics.Counts(
        *map(
            np.asarray,
            (
                sum(row.n_found for row in rows),
                int((p >= EVEN).sum()),
                sum(row.n_gold for row in rows),
            ),
        )
    )
    means = {
        "micro_f1@0.5": float(counts.f1()),
        "precision@0.5": float(counts.precision()),
        "recall@0.5": float(counts.recall()),
        "map": metrics.mean_defined(np.array([_precision_of_ranks(row) for row in rows])),
        "calibration_error": metrics.expected_calibration_error(
            right[None].astype(float), p[None], bins=10, minimum=SHOWN
        ),
    }
    return ArmFigures(len(rows), folds, means)


def _precision_of_ranks(row: ServedDocument) -> float:
    if not row.n_gold:
        return float("nan")
    precision = np.cumsum(row.is_right) / np.arange(1, len(row.is_right) + 1)
    return float((precision * row.is_right).sum() / row.n_gold)


# ---------------------------------------------------------------------- the page

HEAD = ("What suggests", "Documents", "Micro-F1", "Precision", "Recall", "MAP", "Calibration error")
ORDER = ("micro_f1@0.5", "precision@0.5", "recall@0.5", "map", "calibration_error")
TITLE = "# Codes as they are served"
ABOUT = (
    "In percent. Micro-F1, precision and recall are of suggestions of 0.5 and more, pooled over "
    "all documents; every code that people gave counts. MAP is mean average precision. The "
    f"calibration error is over suggestions of {SHOWN} and more, in ten bins. Of notes, a code "
    "of an earlier edition that is a category now is found by any code below it; those called "
    "blind are scored when nothing will be changed for them, and nobody who works on the program "
    "looks at them (how often: docs/results/hospital-notes)."
)


def add_rows(
    out: Path,
    documents: Mapping[str, Sequence[ServedDocument]],
    *,
    command: str,
    folds: Mapping[str, int] | None = None,
) -> dict[str, ArmFigures]:
    """Write the figures of served documents beside those that stand in a folder already.

    Args:
        folds: how many there are, of what was judged in several.
    """
    n_folds = folds or {}
    earlier_figures: dict[str, ArmFigures] = {}
    commands: list[str] = []
    if (out / FIGURES).is_file():
        before, earlier_figures = read_figures(out)
        commands = [line for line in before.split("; ") if line != command]
    arms = earlier_figures | {
        name: figures(rows, folds=n_folds.get(name, 1)) for name, rows in documents.items()
    }
    save_figures(out, arms, command="; ".join([*commands, command]))
    lines = [TITLE, ABOUT, table(arms), "\n".join(f"- `{line}`" for line in [*commands, command])]
    write_text(out / "README.md", "\n\n".join(lines) + "\n")
    return arms


def table(arms: Mapping[str, ArmFigures]) -> str:
    """Return a row for each arm, in percent."""
    rows = [
        [name, f"{arm.documents:,}", *(f"{100 * arm.means[metric]:.1f}" for metric in ORDER)]
        for name, arm in arms.items()
    ]
    return markdown(list(HEAD), rows)
