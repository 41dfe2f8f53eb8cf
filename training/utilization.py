"""The parameter utilisation of finished runs and bundles: a CSV file each, and tables beside the paper's.

What is measured, and what the paper leaves open, stands in `core.utilization.measure`. A document is
read as its model reads it, by its first input: the title (or the start of the text) where texts are
cut into windows, the first word pieces of title and text otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokenizers import Tokenizer
from torch import Tensor

from core.errors import ConfigError
from core.model.bundle import MANIFEST, load_bundle
from core.model.guided import GuidedClassifier
from core.model.plans import PLAN_NAMES
from core.model.precision import best_device
from core.suggest.scoring import padded
from core.suggest.windows import DocumentReader, Reading
from core.utilization.figures import Utilization, file_name, load_csv
from core.utilization.measure import measure_queries
from training.config import DataConfig, load_config
from training.corpus import LabelledDocument
from training.folders import RunFolder, load_data, over
from training.inputs import serving_reading
from training.judge_heads import judge_heads
from training.rows import Facts, ResultRow
from training.run import Run, commit, load_trained
from training.utilization_table import report

# Attention of all heads and layers is kept for one batch: of 12 layers with 12 heads this many
# squared lengths take 0.6 GB.
_PAIRS_PER_BATCH = 2**20
_LARGEST_BATCH = 32

HEADS_ROW = "heads.npz"
"""File of what the guided heads of a run predict on their own."""
INSIGHTS = "insights"
"""Folder of a bundle for figures that were measured on it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A model to be measured, and the documents that it reads.

    Attributes:
        about: what goes into the files: name, encoder, plan and the like.
        judge_heads: gives the R-Precision of guided heads on their own; None without such heads.
    """

    name: str
    model: GuidedClassifier
    tokenizer: Tokenizer
    reading: Reading
    documents: Sequence[LabelledDocument]
    about: Mapping[str, str]
    judge_heads: Callable[[Sequence[LabelledDocument]], ResultRow] | None = None

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """The documents' first inputs, sorted by length; see `core.utilization.measure.Batches`."""
        reader = DocumentReader(self.tokenizer, self.reading)
        windows = sorted((reader.read(d.document).windows[0] for d in self.documents), key=len)
        start = 0
        while start < len(windows):
            # The longest so far comes last, so a batch is measured by what follows its first.
            longest = len(windows[min(start + _LARGEST_BATCH, len(windows)) - 1])
            size = max(1, min(_LARGEST_BATCH, _PAIRS_PER_BATCH // longest**2))
            yield padded(windows[start : start + size])
            start += size


def load_subject(folder: Path, options: DataConfig, split: str) -> Subject:
    """The model in the folder of a finished run or of a bundle.

    Raises:
        ConfigError: the folder is neither.
        BundleError: the bundle cannot be read.
    """
    if (folder / MANIFEST).is_file():
        return _of_bundle(folder, options, split)
    return _of_run(folder, options, split)


def _of_bundle(folder: Path, options: DataConfig, split: str) -> Subject:
    bundle = load_bundle(folder)
    return Subject(
        name=bundle.name,
        model=bundle.model,
        tokenizer=bundle.tokenizer,
        reading=Reading(**bundle.manifest["reading"]),
        documents=load_data(options).corpus.split(split),
        about={"plan": bundle.model.shape.plan, "bundle": bundle.sha256[:12]},
    )


def _of_run(folder: Path, options: DataConfig, split: str) -> Subject:
    facts = RunFolder.finished(folder).facts
    config = load_config(folder / "config.toml")
    config = replace(config, data=over(config.data, options))
    run = Run(config, folder)
    model = load_trained(run)
    return Subject(
        name=config.name,
        model=model,
        tokenizer=run.tokenizer,
        reading=serving_reading(config.reading),
        documents=run.corpus.split(split),
        about={
            "plan": config.model.plan,
            **_guided(model),
            "encoder": Path(config.model.encoder).name,
            "trained_at_commit": str(facts.get("commit", "")),
            "documents_seen": str(facts.get("documents_seen", "")),
        },
        judge_heads=_heads_of(
            run, model, {"arm": config.name, "seed": config.seed, "split": split}
        ),
    )


def _heads_of(
    run: Run, model: GuidedClassifier, facts: Facts
) -> Callable[[Sequence[LabelledDocument]], ResultRow] | None:
    if model.guided_heads is None:
        return None
    return lambda documents: judge_heads(run, model, documents, facts)


def _guided(model: GuidedClassifier) -> dict[str, str]:
    """Which heads were guided: the specification, their layers, and how many of each."""
    if model.guided_heads is None:
        return {}
    return {
        "guided_heads": model.shape.guided_heads,
        "guided_layers": " ".join(map(str, model.guided_heads.layers)),
        "guided_per_layer": str(model.guided_heads.n_heads),
    }


@dataclass(frozen=True, slots=True)
class Measuring:
    """What is measured of every model, and where it is kept.

    Attributes:
        queries: kinds of query rows, keys of `core.utilization.figures.QUERIES`.
        at_most: documents, taken evenly from the split; 0 for all.
        out: a folder a model comes into it, and the tables.
    """

    data: DataConfig
    split: str
    queries: Sequence[str]
    out: Path
    at_most: int = 0
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
            names[subject.name] = folder
            self._measure(subject, folder)

    def _measure(self, subject: Subject, folder: Path) -> None:
        documents = evenly(subject.documents, self.at_most)
        subject = replace(subject, documents=documents)
        self.say(f"{subject.name}: {len(documents):,} documents of {self.split}")
        about = {
            "name": subject.name,
            "split": self.split,
            # The last two parts: a file that is shared should not tell how someone's disk is laid out.
            "command": f"python -m training utilization {'/'.join(folder.parts[-2:])} "
            f"--split {self.split}" + (f" --documents {self.at_most}" if self.at_most else ""),
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

    def _folder(self, subject: Subject, folder: Path) -> Path:
        """A folder of its own, or a bundle's folder for its figures, where the page looks."""
        is_its_own = self.out.resolve() == (folder / INSIGHTS).resolve()
        return self.out if is_its_own else self.out / subject.name


def evenly(documents: Sequence[LabelledDocument], at_most: int) -> Sequence[LabelledDocument]:
    """Every n-th document, so that at most so many remain; all where `at_most` is 0."""
    if not at_most or len(documents) <= at_most:
        return documents
    return [documents[i * len(documents) // at_most] for i in range(at_most)]


def load_figures(out: Path, query: str) -> dict[str, Utilization]:
    """What was measured into a folder with one kind of query rows, by model."""
    paths = sorted(out.glob(f"*/{file_name(query)}"))
    figures = {path.parent.name: load_csv(path) for path in paths}
    return dict(sorted(figures.items(), key=lambda item: _plan_rank(item[1])))


def _plan_rank(figures: Utilization) -> int:
    """The paper's order of the plans; what has none of them comes last."""
    plan = figures.about.get("plan", "")
    return PLAN_NAMES.index(plan) if plan in PLAN_NAMES else len(PLAN_NAMES)


def load_heads(out: Path) -> dict[str, ResultRow]:
    """The rows of guided heads on their own, by model."""
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
