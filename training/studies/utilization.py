"""The parameter utilisation of runs and bundles: what is measured, and tables beside the paper's.

A document is read as its model reads it, by its first input: the title (or the start of the text)
where texts are cut into windows, the first word pieces of title and text otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from torch import Tensor

from core.boundaries import MEASUREMENT_FILES
from core.errors import ConfigError
from core.model.bundle.bundle import load_bundle
from core.model.bundle.manifest import MANIFEST
from core.model.guided import GuidedClassifier, Shape
from core.model.networks import Network
from core.model.plans import PLAN_NAMES
from core.model.precision import best_device
from core.suggest.backends.torch import padded
from core.suggest.windows import DocumentReader, ReadingSettings
from training.config import DataConfig, load_config
from training.corpora.corpus import LabelledDocument, evenly
from training.fitting.encoders.pretrained import load_encoder
from training.fitting.run import Run, load_trained
from training.judging.folders import RunFolder, over
from training.judging.recorded import commit, named_data, typed_command, write_text
from training.results.tables import markdown
from training.shipping.shipped import load_bundle_data
from training.studies.attention_measures import QUERIES, Matrix, Utilization, measure_queries

FILE = "utilization.json"
"""What was measured, a line a model and kind of query rows."""


@dataclass(frozen=True, slots=True)
class UtilizationStudy:
    """What is measured of every model, and where it is kept.

    Attributes:
        queries: kinds of query rows, keys of `QUERIES`.
        at_most: documents, taken evenly from the split; 0 for all.
        before: measure the encoder of the first model as well, as it was before training.
        out: folder of what is measured, and of the tables.
    """

    data: DataConfig
    split: str
    queries: Sequence[str]
    out: Path
    at_most: int = 0
    before: bool = False
    say: Callable[[str], None] = print

    def run(self, folders: Sequence[Path]) -> None:
        """Measure models one by one.

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
            "split": self.split,
            # The last two parts: a file that is shared should not show how someone's disk is laid
            # out.
            "command": typed_command(
                "utilization",
                "/".join(folder.parts[-2:]),
                **named_data(self.data),
                split=self.split,
                documents=self.at_most or None,
                before=subject.name.startswith("before-"),
            ),
            "commit": commit(),
            **subject.about,
        }
        model = subject.model.to(best_device())
        measured = measure_queries(
            model.encoder, subject.batches(), self.queries, segments=model.segments
        )
        for figures in measured.values():
            save_figures(replace(figures, name=subject.name, about=about), self.out)


def save_figures(measured: Utilization, folder: Path) -> None:
    """Keep figures beside the others in a folder, in the place of earlier ones of the same model."""
    others = [
        figures
        for figures in load_figures(folder)
        if (figures.name, figures.query) != (measured.name, measured.query)
    ]
    every = sorted([*others, measured], key=lambda figures: (figures.name, figures.query))
    lines = ",\n".join(json.dumps(asdict(figures), default=_plain) for figures in every)
    write_text(folder / FILE, f"[\n{lines}\n]\n")


def _plain(matrix: Matrix) -> Any:
    return np.vectorize(lambda number: float(f"{number:.6g}"))(matrix).tolist()


def load_figures(folder: Path, query: str = "") -> list[Utilization]:
    """Return what was measured into a folder, with one kind of query rows or all.

    Untrained encoders come first, then the paper's plans in its order, then all others.

    Raises:
        ConfigError: the file is damaged, or is another one.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    with MEASUREMENT_FILES.translated("{path} is not a utilisation file ({reason}).", path=path):
        rows = json.loads(path.read_text("utf-8"))
        every = [_figures(row) for row in rows]
    return sorted((of for of in every if query in ("", of.query)), key=_plan_rank)


def _figures(row: Mapping[str, Any]) -> Utilization:
    values: dict[str, Any] = {k: np.array(v) if isinstance(v, list) else v for k, v in row.items()}
    return Utilization(**values)


def _plan_rank(figures: Utilization) -> int:
    plan = figures.about.get("plan", "")
    if plan == UNTRAINED:
        return -1
    return PLAN_NAMES.index(plan) if plan in PLAN_NAMES else len(PLAN_NAMES)


def write_tables(out: Path, queries: Sequence[str]) -> dict[str, str]:
    """Write table-QUERY.md over all models that were measured into a folder; returns the texts."""
    pages = {query: report(figures) for query in queries if (figures := load_figures(out, query))}
    for query, page in pages.items():
        write_text(out / f"table-{query}.md", page)
    return pages


# ---------------------------------------------------------------------- models

# Attention of all heads and layers is kept for one batch: of 12 layers with 12 heads this many
# squared lengths take 0.6 GB.
_PAIRS_PER_BATCH = 2**20
_LARGEST_BATCH = 32

UNTRAINED = "none: before training"
"""Instead of a plan, of an encoder as it came."""


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """A model to be measured, and the documents that it reads.

    Attributes:
        about: what goes into the files: name, encoder, plan and the like.
        pretrained: hub id or folder of what was fine-tuned; "" where that is not known.
    """

    name: str
    model: GuidedClassifier
    tokenizer: Tokenizer
    reading: ReadingSettings
    documents: Sequence[LabelledDocument]
    about: Mapping[str, str]
    pretrained: str = ""

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the documents' first inputs by length; see `Batches`."""
        reader = DocumentReader(self.tokenizer, self.reading)
        windows = sorted((reader.read(d.document).windows[0] for d in self.documents), key=len)
        start = 0
        while start < len(windows):
            # The longest so far comes last, so a batch is measured by what follows its first.
            longest = len(windows[min(start + _LARGEST_BATCH, len(windows)) - 1])
            size = max(1, min(_LARGEST_BATCH, _PAIRS_PER_BATCH // longest**2))
            yield padded(windows[start : start + size])
            start += size


def load_subject(folder: Path, options: DataConfig, split: str) -> MeasuredModel:
    """Return the model in the folder of a finished run or of a bundle.

    Raises:
        ConfigError: the folder is neither, or its model has no layers.
        BundleError: the bundle cannot be read.
    """
    if (folder / MANIFEST).is_file():
        return _of_bundle(folder, options, split)
    return _of_run(folder, options, split)


def _of_bundle(folder: Path, options: DataConfig, split: str) -> MeasuredModel:
    bundle = load_bundle(folder)
    model, tokenizer = bundle.guided
    _require_layers(model, folder)
    return MeasuredModel(
        name=bundle.name,
        model=model,
        tokenizer=tokenizer,
        reading=ReadingSettings(**bundle.manifest["reading"]),
        documents=load_bundle_data(folder, options, bundle.label_space).corpus.split(split),
        about={"plan": model.shape.plan, "bundle": bundle.sha256[:12]},
    )


def _of_run(folder: Path, options: DataConfig, split: str) -> MeasuredModel:
    trained = RunFolder.finished(folder).facts
    config = load_config(folder / "config.toml")
    config = config.model_copy(update={"data": over(config.data, options)})
    run = Run(config, folder)
    model = load_trained(run)
    _require_layers(model, folder)
    return MeasuredModel(
        name=config.name,
        model=model,
        tokenizer=run.tokenizer,
        reading=run.serving_reading,
        documents=run.corpus.split(split),
        about={
            "plan": config.model.plan,
            "encoder": Path(config.model.encoder).name,
            "trained_at_commit": str(trained.get("commit", "")),
            "documents_seen": str(trained.get("documents_seen", "")),
        },
        pretrained=config.model.encoder,
    )


def _require_layers(model: GuidedClassifier, folder: Path) -> None:
    """Refuse a model without anything to measure, rather than measure one layer of nothing."""
    if isinstance(model.encoder, Network):
        raise ConfigError(
            f"{folder} holds a small network ({model.encoder.config.model_type}): it has no "
            "attention heads and no layers to be looked into."
        )


def before_training(subject: MeasuredModel) -> MeasuredModel:
    """Return the encoder of a run as it was, on the same documents read the same way.

    Raises:
        ConfigError: the model is no run, or its encoder is not at hand.
    """
    if not subject.pretrained:
        raise ConfigError(f"It is not known what {subject.name} was trained from: name a run.")
    encoder = load_encoder(subject.pretrained)
    name = Path(subject.pretrained).name
    return replace(
        subject,
        name=f"before-{name}",
        model=GuidedClassifier(encoder, Shape(plan="none", level_sizes=(), n_assigned=0)),
        about={"plan": UNTRAINED, "encoder": name},
    )


# ---------------------------------------------------------------------- tables

# Layer by layer: entropy and mean KL of the heads, BERT-BASE on the development data of EURLEX57K.
PAPER: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "FLAT": (
        (4.7, 3.9, 2.5, 3.6, 3.3, 3.2, 3.4, 2.7, 2.1, 2.6, 2.2, 2.4),
        (1.3, 0.7, 0.9, 1.7, 2.6, 3.2, 3.1, 2.6, 2.1, 1.8, 1.2, 0.6),
    ),
    "LAST-SIX": (
        (4.6, 4.2, 4.1, 3.9, 2.7, 2.9, 2.9, 2.6, 3.0, 4.5, 4.3, 5.2),
        (1.5, 0.6, 0.8, 1.1, 2.7, 3.6, 3.0, 2.9, 4.2, 3.9, 2.3, 0.6),
    ),
    "ONE-BY-ONE": (
        (4.5, 4.1, 4.0, 4.0, 3.7, 2.8, 4.6, 4.0, 3.9, 3.9, 4.4, 4.5),
        (1.9, 2.4, 4.7, 3.8, 4.2, 2.9, 2.7, 3.0, 1.7, 1.8, 1.4, 0.2),
    ),
    "IN-PAIRS": (
        (4.4, 3.9, 3.9, 4.1, 3.2, 3.5, 4.1, 3.5, 3.7, 3.7, 4.2, 5.1),
        (1.9, 3.0, 4.6, 4.2, 3.6, 3.5, 2.5, 2.8, 2.0, 1.4, 1.1, 0.2),
    ),
    "HYBRID": (
        (4.6, 4.5, 4.2, 4.2, 3.8, 3.1, 4.1, 3.8, 4.1, 4.3, 4.1, 4.7),
        (2.0, 0.9, 1.7, 2.1, 3.4, 3.7, 3.8, 3.6, 2.8, 2.5, 1.1, 0.3),
    ),
}
"""Table 2 of Manginas et al. (2020)."""

_NOTE = (
    "In nats; means over documents, which all have the same weight. The paper does not say which "
    "query rows it measured, and its documents have up to 512 word pieces: compare the order of "
    "the plans, not the values."
)


def report(figures: Sequence[Utilization]) -> str:
    """Return a page over one or more models that were measured with the same query rows."""
    splits = sorted({of.about.get("split", "?") for of in figures})
    parts = [
        f"# Parameter utilisation on {', '.join(splits)}: {QUERIES[figures[0].query]}",
        _NOTE,
        "## Entropy of the attention averaged over heads, and mean KL between heads, by layer",
        table_2(figures),
        "## Between layers",
        "Angular distance of [CLS] (0.5 is a right angle; the same for all query rows), and KL of "
        "the attention averaged over heads; means over pairs of layers.",
        between_layers(figures),
        "## Commands",
        "\n".join(f"- `{of.about['command']}`" for of in figures if "command" in of.about),
    ]
    return "\n\n".join(parts) + "\n"


def table_2(figures: Sequence[Utilization]) -> str:
    """Return entropy / KL by layer and averaged, as Table 2, with the paper's rows below."""
    n_layers = max(12, *(of.n_layers for of in figures))
    ours = (
        _row(of.name, list(of.entropy), list(of.kl_heads), n_layers, digits=2) for of in figures
    )
    paper = (
        _row(f"paper: {name}", entropy, kl, n_layers, digits=1)
        for name, (entropy, kl) in PAPER.items()
    )
    return markdown(["Model", *map(str, range(1, n_layers + 1)), "Mean"], [*ours, *paper])


def _row(
    name: str, entropy: Sequence[float], kl: Sequence[float], n_layers: int, *, digits: int
) -> list[str]:
    cells = [f"{e:.{digits}f} / {k:.{digits}f}" for e, k in zip(entropy, kl, strict=True)]
    blank = [""] * (n_layers - len(cells))
    return [name, *cells, *blank, _pair(float(np.mean(entropy)), float(np.mean(kl)))]


def _pair(entropy: float, kl: float) -> str:
    return f"{entropy:.2f} / {kl:.2f}"


def between_layers(figures: Sequence[Utilization]) -> str:
    """Return what Figures 3 and 4 show, averaged: over neighbouring layers and over all pairs."""
    header = [
        "Model",
        "Angle, neighbours",
        "Angle, all pairs",
        "KL, neighbours",
        "KL, all pairs",
        "Even attention would have",
        "Documents",
    ]
    body = [
        [
            of.name,
            *(f"{value:.3f}" for value in (neighbours(of.angular), pairs(of.angular))),
            *(f"{value:.2f}" for value in (neighbours(of.kl_layers), pairs(of.kl_layers))),
            f"{of.uniform_entropy:.2f}",
            f"{of.n_documents:,}",
        ]
        for of in figures
    ]
    return markdown(header, body)


def neighbours(matrix: Matrix) -> float:
    """Return mean over layers that follow each other, both directions; NaN for a single layer."""
    if len(matrix) < 2:
        return float("nan")
    return float(np.mean([np.diagonal(matrix, 1), np.diagonal(matrix, -1)]))


def pairs(matrix: Matrix) -> float:
    """Return mean over all ordered pairs of different layers; NaN for a single layer."""
    if len(matrix) < 2:
        return float("nan")
    return float(matrix[~np.eye(len(matrix), dtype=bool)].mean())
