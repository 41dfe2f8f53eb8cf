"""The parameter utilisation of runs and bundles: CSV files, and tables beside the paper's.

What is measured, and what the paper leaves open, stands in `core.utilization.measure`. A document
is read as its model reads it, by its first input: the title (or the start of the text) where texts
are cut into windows, the first word pieces of title and text otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import ConfigError
from core.model.plans import PLAN_NAMES
from core.model.precision import best_device
from core.utilization.figures import Utilization, file_name, load_csv
from core.utilization.measure import measure_queries
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument
from training.judging.recorded import commit, data_words
from training.judging.rows import ResultRow
from training.results.utilization_table import report
from training.studies.subjects import UNTRAINED, MeasuredModel, before_training, load_subject

HEADS_ROW = "heads.npz"
"""File of what the guided heads of a run predict on their own."""
INSIGHTS = "insights"
"""Folder of a bundle for figures that were measured on it."""


@dataclass(frozen=True, slots=True)
class UtilizationStudy:
    """What is measured of every model, and where it is kept.

    Attributes:
        queries: kinds of query rows, keys of `core.utilization.figures.QUERIES`.
        at_most: documents, taken evenly from the split; 0 for all.
        before: measure the encoder of the first model as well, as it was before training.
        out: a folder a model comes into it, and the tables.
    """

    data: DataConfig
    split: str
    queries: Sequence[str]
    out: Path
    at_most: int = 0
    before: bool = False
    say: Callable[[str], None] = print

    def run(self, folders: Sequence[Path]) -> None:
        """Measure models one by one, each into the folder of its name.

        Raises:
            ConfigError: two models share a name, or a folder holds none.
        """
        names: dict[str, Path] = {}
        for folder in folders:
            subject = load_subject(folder, self.data, self.split)
            if subject.name in names:
                raise ConfigError(
                    f"{folder} and {names[subject.name]} are both called {subject.name!r}: "
                    "measure them into two folders (--out)."
                )
            if self.before and not names:
                self._measure(before_training(subject), folder)
            names[subject.name] = folder
            self._measure(subject, folder)

    def _measure(self, subject: MeasuredModel, folder: Path) -> None:
        documents = evenly(subject.documents, self.at_most)
        subject = replace(subject, documents=documents)
        self.say(f"{subject.name}: {len(documents):,} documents of {self.split}")
        about = {
            "name": subject.name,
            "split": self.split,
            # The last two parts: a file that is shared should not show how someone's disk is laid
            # out.
            "command": f"python -m training utilization {'/'.join(folder.parts[-2:])} "
            f"{' '.join([*data_words(self.data), '--split'])} {self.split}"
            + (f" --documents {self.at_most}" if self.at_most else "")
            + (" --before" if subject.name.startswith("before-") else ""),
            "commit": commit(),
            **subject.about,
        }
        model = subject.model.to(best_device())
        found = measure_queries(
            model.encoder, subject.batches(), self.queries, about=about, segments=model.segments
        )
        for figures in found.values():
            figures.save_csv(self._folder(subject, folder))
        if subject.judge_heads is not None:
            row = subject.judge_heads(documents)
            row.save(self._folder(subject, folder) / HEADS_ROW)

    def _folder(self, subject: MeasuredModel, folder: Path) -> Path:
        """Return a folder of its own, or the figures' folder of a bundle, where the page looks."""
        is_its_own = self.out.resolve() == (folder / INSIGHTS).resolve()
        return self.out if is_its_own else self.out / subject.name


def evenly(documents: Sequence[LabelledDocument], at_most: int) -> Sequence[LabelledDocument]:
    """Return every n-th document, so that at most so many remain; all where `at_most` is 0."""
    if not at_most or len(documents) <= at_most:
        return documents
    return [documents[i * len(documents) // at_most] for i in range(at_most)]


def load_figures(out: Path, query: str) -> dict[str, Utilization]:
    """Return what was measured into a folder with one kind of query rows, by model."""
    paths = sorted(out.glob(f"*/{file_name(query)}"))
    figures = {path.parent.name: load_csv(path) for path in paths}
    return dict(sorted(figures.items(), key=lambda item: _plan_rank(item[1])))


def _plan_rank(figures: Utilization) -> int:
    """Return what was not trained first, then the paper's order of the plans, then all others."""
    plan = figures.about.get("plan", "")
    if plan == UNTRAINED:
        return -1
    return PLAN_NAMES.index(plan) if plan in PLAN_NAMES else len(PLAN_NAMES)


def load_heads(out: Path) -> dict[str, ResultRow]:
    """Return the rows of guided heads on their own, by model."""
    return {path.parent.name: ResultRow.load(path) for path in sorted(out.glob(f"*/{HEADS_ROW}"))}


def write_tables(out: Path, queries: Sequence[str]) -> dict[str, str]:
    """Write table-QUERY.md over all models that were measured into a folder; returns the texts."""
    pages = {}
    for query in queries:
        figures = load_figures(out, query)
        if figures:
            pages[query] = report(figures, load_heads(out))
            (out / f"table-{query}.md").write_text(pages[query], encoding="utf-8")
    return pages
