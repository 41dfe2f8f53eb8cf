"""The parameter utilisation of runs and bundles: CSV files, and tables beside the paper's.

What is measured, and what the paper leaves open, stands in `core.utilization.measure`. A document
is read as its model reads it, by its first input: the title (or the start of the text) where texts
are cut into windows, the first word pieces of title and text otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

from tokenizers import Tokenizer
from torch import Tensor, nn

from core.errors import ConfigError
from core.insights.result_rows import ROWS
from core.model.attention import observe_attention
from core.model.bundle.bundle import MANIFEST, load_bundle
from core.model.guided import GuidedClassifier, GuidedOutput, Shape, load_encoder
from core.model.networks import Network
from core.model.plans import PLAN_NAMES
from core.model.precision import best_device
from core.suggest.backends.torch import padded
from core.suggest.windows import DocumentReader, JoinRule, ReadingSettings
from core.utilization.figures import Utilization, file_name, load_csv
from core.utilization.measure import measure_queries
from training.config import DataConfig, load_config
from training.corpora.corpus import LabelledDocument
from training.fitting.run import Run, load_trained
from training.judging.evaluate import evaluate
from training.judging.folders import RunFolder, over
from training.judging.recorded import commit, named_data, typed_command
from training.judging.rows import Facts, ResultRow
from training.results.utilization_table import report
from training.shipping.shipped import load_bundle_data

HEADS_ROW = "heads"
"""Row of what the guided heads of a run predict on their own."""
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
        found = measure_queries(
            model.encoder, subject.batches(), self.queries, about=about, segments=model.segments
        )
        for figures in found.values():
            figures.save_csv(self._folder(subject, folder))
        if subject.judge_heads is not None:
            row = subject.judge_heads(documents)
            row.save(self._folder(subject, folder) / ROWS / HEADS_ROW)

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
    files = sorted(out.glob(f"*/{ROWS}"))
    return {file.parent.name: ResultRow.load(file / HEADS_ROW) for file in files}


def write_tables(out: Path, queries: Sequence[str]) -> dict[str, str]:
    """Write table-QUERY.md over all models that were measured into a folder; returns the texts."""
    pages = {}
    for query in queries:
        figures = load_figures(out, query)
        if figures:
            pages[query] = report(figures, load_heads(out))
            (out / f"table-{query}.md").write_text(pages[query], encoding="utf-8")
    return pages


# ---------------------------------------------------------------------- models, and heads alone

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
        judge_heads: gives the R-Precision of guided heads on their own; None without such heads.
        pretrained: hub id or folder of what was fine-tuned; "" where that is not known.
    """

    name: str
    model: GuidedClassifier
    tokenizer: Tokenizer
    reading: ReadingSettings
    documents: Sequence[LabelledDocument]
    about: Mapping[str, str]
    judge_heads: Callable[[Sequence[LabelledDocument]], ResultRow] | None = None
    pretrained: str = ""

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the documents' first inputs by length; see `core.utilization.measure.Batches`."""
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
    facts = {"arm": config.name, "seed": config.seed, "split": split}
    return MeasuredModel(
        name=config.name,
        model=model,
        tokenizer=run.tokenizer,
        reading=run.serving_reading,
        documents=run.corpus.split(split),
        about={
            "plan": config.model.plan,
            **_guided(model),
            "encoder": Path(config.model.encoder).name,
            "trained_at_commit": str(trained.get("commit", "")),
            "documents_seen": str(trained.get("documents_seen", "")),
        },
        pretrained=config.model.encoder,
        judge_heads=None
        if model.guided_heads is None
        else partial(judge_heads, run, model, facts=facts),
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
        judge_heads=None,
    )


def _guided(model: GuidedClassifier) -> dict[str, str]:
    """Return which heads were guided: the specification, their layers, and how many of each."""
    if model.guided_heads is None:
        return {}
    return {
        "guided_heads": model.shape.guided_heads,
        "guided_layers": " ".join(map(str, model.guided_heads.layers)),
        "guided_per_layer": str(model.guided_heads.n_heads),
    }


class HeadsAlone(nn.Module):
    """A classifier whose level logits are those of the guided heads, of a trained model.

    Raises:
        ConfigError: no head of the model is guided.
    """

    def __init__(self, model: GuidedClassifier) -> None:
        super().__init__()
        if model.guided_heads is None:
            raise ConfigError("This model has no guided heads that could be judged.")
        self.encoder, self.heads = model.encoder, model.guided_heads
        self.segments = model.segments

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> GuidedOutput:
        """Return logits for a batch of word pieces; both (batch, tokens)."""
        captured: dict[int, Tensor] = {}

        def observe(layer: int, outputs: Tensor, _attention: Tensor | None) -> None:
            captured[layer] = outputs[:, 0]

        with observe_attention(self.encoder, self.heads.layers, observe):
            self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, **self.segments(input_ids)
            )
        return GuidedOutput(levels=self.heads(captured), assigned=None)


def judge_heads(
    run: Run, model: GuidedClassifier, documents: Sequence[LabelledDocument], facts: Facts
) -> ResultRow:
    """Return R-Precision by level of the guided heads of a run on their own."""
    # Scoring asks a classifier for nothing but its answers to a batch.
    alone = cast(GuidedClassifier, HeadsAlone(model))
    scores = run.scores(alone, documents, JoinRule())
    judged = evaluate(scores, documents, run.label_space, depth=run.depth)
    return ResultRow.of(judged, facts)
