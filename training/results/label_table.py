"""The table of label embeddings against plain fine-tuning, from the finished rows of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core import metrics
from training.judging.arms import Arm
from training.judging.compare import SPLITS
from training.judging.recorded import write_text
from training.judging.rows import ResultRow
from training.results.tables import Spread, compare_pairs, markdown
from training.studies.label_study import GRID, LABELS, PLAIN, Cell, Study

MEASURES = {
    "accuracy": ("accuracy", "macro_f1"),
    "micro_f1": ("micro_f1", "macro_f1", "ndcg@5"),
}
"""What dev chooses by -> what the table shows."""

HEADINGS = {
    "accuracy": "accuracy",
    "micro_f1": "micro-F1",
    "macro_f1": "macro-F1",
    "ndcg@5": "nDCG@5",
}
NAMES = {
    "cmc2007": "CMC 2007, 44 codes, five folds",
    "reuters-single": "Reuters, one topic",
    "reuters": "Reuters, 90 topics",
    "codiesp": "CodiEsp, clinical cases",
}
COMMAND = "python -m training small-data --encoder ENCODER"


@dataclass(frozen=True, slots=True)
class ArmPair:
    """Both arms of a cell, row beside row: the same seed, draw and documents."""

    plain: tuple[ResultRow, ...]
    labels: tuple[ResultRow, ...]

    @classmethod
    def of(cls, study: Study, cell: Cell) -> ArmPair:
        """Return the seeds of a cell that both arms have on test."""
        plain = {row.facts["seed"]: row for row in study.rows(cell, PLAIN)}
        labels = {row.facts["seed"]: row for row in study.rows(cell, LABELS)}
        seeds = [seed for seed in plain if seed in labels]
        return cls(tuple(plain[seed] for seed in seeds), tuple(labels[seed] for seed in seeds))

    def spreads(self, metric: str) -> tuple[Spread, Spread, Spread]:
        """Return mean and deviation over seeds, of both arms and of their difference by seed."""
        plain = [row.mean(metric) for row in self.plain]
        labels = [row.mean(metric) for row in self.labels]
        differences = [b - a for a, b in zip(plain, labels, strict=True)]
        return Spread.of(plain), Spread.of(labels), Spread.of(differences)

    def comparison(self, metric: str) -> metrics.BootstrapResult | None:
        """Return labels minus plain over test documents; None for measures of the whole set."""
        return compare_pairs(tuple(zip(self.labels, self.plain, strict=True)), metric)


def write_table(study: Study) -> str:
    """Write table-test.md from the rows that are there, and return it."""
    text = page(study)
    write_text(study.results / "table-test.md", text)
    return text


def page(study: Study) -> str:
    """Return all tables of a study, from the rows that are there; the title alone without any."""
    pages = ["# Label embeddings in self-attention against plain fine-tuning, small training sets"]
    compared, chosen, cost = comparison_table(study), choice_table(study), cost_table(study)
    if compared or chosen or cost:
        pages += [_explanation(study), compared, _caution(study)]
        # The headings are of the third level, as the page has them inside one of its sections.
        pages += [f"### What dev chose for the plain arm\n\n{chosen}"] if chosen else []
        pages += [f"### Cost\n\n{cost}"] if cost else []
    return "\n\n".join(part for part in pages if part) + "\n"


def _explanation(study: Study) -> str:
    judged = study.base.data.judged
    return (
        f"Test documents: at most {judged:,}, the same ones for every seed; for CMC 2007 seed n is "
        "judged on fold n, so that five seeds judge every report once. Mean ± standard deviation "
        "over seeds, in points; the interval is a paired bootstrap over test documents, seeds "
        "averaged by document, where the measure has a value a document. Both arms take the "
        "learning rate and steps that dev chose for the plain one.\n\n"
        f"Command: `{COMMAND}`"
    )


def _caution(study: Study) -> str:
    """Return what a reader must know of cells whose choice has seen what is judged."""
    sentences = []
    if any(cell.folded for cell in study.cells()):
        sentences.append(
            "For CMC 2007, learning rate and steps were chosen once, on the dev part of the first "
            "fold; the reports of that part are test documents of the other folds. The choice "
            f"among {len(GRID)} settings has therefore seen a part of what is judged, though "
            "neither arm was trained on it. Choosing anew in every fold would take five times as "
            "many runs."
        )
    if names := dict.fromkeys(
        NAMES.get(cell.corpus, cell.corpus) for cell in study.cells() if _judged_on_dev(study, cell)
    ):
        sentences.append(
            f"{' and '.join(names)}: there are no test documents, and those of dev stand for them. "
            "The choice was made on the documents that are judged."
        )
    return "\n\n".join(sentences)


def _judged_on_dev(study: Study, cell: Cell) -> bool:
    """Return whether the documents that chose are those of test."""
    rows = study.tuning(cell).rows()
    documents = [{row.documents for of in rows[split].values() for row in of} for split in SPLITS]
    return bool(documents[0] & documents[1])


def comparison_table(study: Study) -> str:
    """Return a line a cell and measure; "" where nothing is finished."""
    header = ["Training set", "Measure", "Seeds", "Plain", "Label embeddings", "Difference"]
    body = []
    for cell in study.cells():
        pair = ArmPair.of(study, cell)
        for metric in MEASURES[cell.metric] if pair.plain else ():
            plain, labels, difference = pair.spreads(metric)
            figures = [str(plain), str(labels), _signed(difference)]
            seeds = str(len(pair.plain))
            line = [_cell_name(cell), HEADINGS[metric], seeds, *figures]
            body.append([*line, *_interval(pair.comparison(metric))])
    return markdown([*header, "95 % interval", "p"], body)


def choice_table(study: Study) -> str:
    """Return the dev results of the grid, and what was taken."""
    header = ["Training set", "Measure on dev", *(arm.name for arm in _grid(study)), "taken"]
    body = []
    for cell in study.cells():
        rows = study.tuning(cell).rows()["dev"]
        chosen = study.chosen(cell)
        if chosen is not None:
            means = [f"{100 * rows[arm.name][0].mean(cell.metric):.1f}" for arm in _grid(study)]
            body.append([_cell_name(cell), HEADINGS[cell.metric], *means, chosen.name])
    return markdown(header, body)


def cost_table(study: Study) -> str:
    """Return minutes of training, by cell and arm, and where the rows were made."""
    header = ["Training set", "Arm", "Minutes a run", "Documents/s", "Steps", "dtype", "Commit"]
    body = []
    for cell in study.cells():
        for arm in (PLAIN, LABELS):
            rows = study.rows(cell, arm)
            if rows:
                figures = [_mean(rows, "minutes"), _mean(rows, "documents_per_second")]
                kinds = [_distinct(rows, key) for key in ("steps", "dtype", "commit")]
                body.append([_cell_name(cell), arm.name, *figures, *kinds])
    return markdown(header, body)


def _grid(study: Study) -> Sequence[Arm]:
    return study.tuning(next(study.cells())).arms


def _cell_name(cell: Cell) -> str:
    return f"{NAMES[cell.corpus]}: {cell.cut or 'all'}"


def _signed(spread: Spread) -> str:
    text = str(spread)
    return f"+{text}" if spread.mean > 0 else text


def _interval(result: metrics.BootstrapResult | None) -> list[str]:
    if result is None:
        return ["–", "–"]
    return [f"{100 * result.low:+.2f} … {100 * result.high:+.2f}", f"{result.p_value:.4f}"]


def _mean(rows: Sequence[ResultRow], key: str) -> str:
    return f"{np.mean([float(row.facts.get(key, np.nan)) for row in rows]):.1f}"


def _distinct(rows: Sequence[ResultRow], key: str) -> str:
    return ", ".join(dict.fromkeys(str(row.facts.get(key, "–")) for row in rows))
