"""The folder of a finished run: its scores, its facts, its setup, and the data it is judged on."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.boundaries import MEASUREMENT_FILES
from core.errors import ConfigError
from core.paths import PROJECT_ROOT
from core.vocabulary.labels import LabelSpace
from training.config import DataConfig, RunConfig, load_config
from training.corpora.corpus import Corpus
from training.corpora.label_spaces import label_space_of
from training.corpora.readers import read_corpus
from training.corpora.sampling import folded
from training.judging.arms import portable_digest
from training.judging.recorded import place_name, typed_command
from training.judging.scores import Scores

TITLE_ALONE = "title_alone"
"""Suffix of the scores of full texts that were read by their titles alone."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that training wrote: run.json last, so that a folder with it is finished."""

    path: Path

    @classmethod
    def finished(cls, path: Path) -> RunFolder:
        """Return a folder whose run has ended.

        Raises:
            ConfigError: it is not there, or its run has not ended.
        """
        if not (path / "run.json").is_file():
            raise ConfigError(f"{path} holds no finished run: there is no run.json in it.")
        return cls(path)

    @property
    def facts(self) -> dict[str, Any]:
        """The facts of run.json: minutes, documents seen, versions and so on."""
        path = self.path / "run.json"
        with MEASUREMENT_FILES.translated("{path} cannot be read ({reason}).", path=path):
            facts: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return facts

    def scores(self, split: str) -> Scores:
        """Return the raw scores of a split."""
        return Scores.load(self.path / f"scores_{split}.npz")

    def title_alone(self, split: str) -> Scores | None:
        """Return scores of the split's full texts by titles alone, where the run made them."""
        path = self.path / f"scores_{split}_{TITLE_ALONE}.npz"
        return Scores.load(path) if path.is_file() else None

    def data(self) -> DataConfig:
        """Return the data of the run, or the development data where the run names none."""
        if (self.path / "config.toml").is_file():
            return load_config(self.path / "config.toml").data
        return DataConfig(**self.facts.get("data", {}))


@dataclass(frozen=True, slots=True)
class JudgedData:
    """A corpus and the label space in whose columns scores are kept, and where they came from."""

    corpus: Corpus
    label_space: LabelSpace
    source: DataConfig = field(default_factory=DataConfig)

    @property
    def single_label(self) -> bool:
        """Whether results are judged by the one label that each document gets."""
        return self.corpus.has_single_labels


DEVELOPMENT_FOLDERS = {
    "acts_jsonl": "eurlex",
    "reuters": "reuters21578",
    "cmc2007": "cmc2007",
    "codiesp": "codiesp",
}
"""Format -> folder of the data for development, where no path is named."""

DEVELOPMENT_VOCABULARY = "eurovoc/eurovoc_in_skos_core_concepts.ttl"


def load_data(data: DataConfig) -> JudgedData:
    """Read the corpus and its labels; what is not named is the data for development.

    Raises:
        ConfigError: the format has no data for development, and no path is named.
    """
    corpus = load_corpus(data)
    if not data.vocabulary and not corpus.labels:
        place = str(development_data() / DEVELOPMENT_VOCABULARY)
        data = data.model_copy(update={"vocabulary": place})
    return JudgedData(corpus, label_space_of(corpus, data), data)


class KnownData:
    """Corpora with their labels, each read once.

    What is drawn for training changes neither dev nor test, so runs that differ in it share one.
    """

    def __init__(self) -> None:
        self._read: dict[DataConfig, JudgedData] = {}

    def of(self, data: DataConfig) -> JudgedData:
        """Return what runs of this configuration are judged on."""
        data = data.model_copy(update={"newest": 0, "cut": 0})
        if data not in self._read:
            self._read[data] = load_data(data)
        return self._read[data]


def load_corpus(data: DataConfig) -> Corpus:
    """Read the documents alone; where no path is named, those for development.

    Raises:
        ConfigError: the format has no data for development, and no path is named.
    """
    if not data.path and data.format not in DEVELOPMENT_FOLDERS:
        raise ConfigError(
            f"Strata comes without a corpus of the format {data.format}: name one with --data, or "
            "with data.path in the configuration."
        )
    path = data.path or development_data() / DEVELOPMENT_FOLDERS[data.format]
    corpus = read_corpus(data.format, Path(path), data.task)
    return folded(corpus, data.fold) if data.fold else corpus


def development_data() -> Path:
    """Return where the data for development lies: `STRATA_DATA`, or beside the project."""
    return Path(os.environ.get("STRATA_DATA", PROJECT_ROOT.parent / "shared" / "data"))


NOTHING_NAMED = DataConfig(format="")
"""Options of a command line that names no data."""


def over(data: DataConfig, options: DataConfig) -> DataConfig:
    """Return what a run was made from, with what a command line names in its place.

    A corpus of the same format is read as the run's was; of another format, task and fold are its
    own.

    Args:
        options: "" for whatever was not named.
    """
    same = options.format in ("", data.format)
    chosen = data if same else data.model_copy(update={"path": "", "task": "", "fold": ""})
    named = {key: getattr(options, key) for key in ("format", "path", "vocabulary", "task", "fold")}
    return chosen.model_copy(update={key: value for key, value in named.items() if value})


def config_of(folder: Path) -> RunConfig | None:
    """Return the configuration of a run folder; None of a baseline's."""
    path = folder / "config.toml"
    return load_config(path) if path.is_file() else None


def identity_of(folder: Path) -> dict[str, Any]:
    """Return arm, seed and digest as `compare` names them.

    A baseline goes by its folder, and by the seed in its run.json.
    """
    config = config_of(folder)
    if config is not None:
        arm = config.name.removesuffix(f"-s{config.seed}")
        return {"arm": arm, "seed": config.seed, "digest": portable_digest(config)}
    run = RunFolder(folder)
    facts = run.facts if (folder / "run.json").is_file() else {}
    seed = (facts.get("config") or {}).get("seed")
    if seed is None:
        return {"arm": folder.name}
    return {"arm": folder.name.removesuffix(f"-s{seed}"), "seed": seed}


def names_apart(folders: Sequence[Path]) -> list[str]:
    """Return the name of each folder; where two are of one name, with as many folders above it as
    tell them apart.
    """
    # Of a link, its own name and place.
    places = [(folder.parent.resolve() / folder.name).parts[1:] for folder in folders]
    lengths = [1] * len(places)
    while True:
        names = ["/".join(place[-n:]) for place, n in zip(places, lengths, strict=True)]
        # A folder that is named twice is one.
        times = Counter(name for name, _ in set(zip(names, places, strict=True)))
        shared = [
            number
            for number, name in enumerate(names)
            if times[name] > 1 and lengths[number] < len(places[number])
        ]
        if not shared:
            return names
        for number in shared:
            lengths[number] += 1


def setup_of(config: RunConfig) -> dict[str, Any]:
    """Return the settings that a table of models names, places by their last part."""
    network, distill, optim = config.network, config.distill, config.optim
    setup: dict[str, Any] = {
        "preset": config.preset,
        "max_length_tokens": config.reading.max_length_tokens,
        "epochs": optim.epochs,
        "batch_size": optim.batch_size,
        "max_minutes": optim.max_minutes,
    }
    if network.kind == "none" or network.vectors == "encoder":
        setup["encoder"] = place_name(config.model.encoder)
    if network.kind != "none":
        words = network.vectors
        setup["network"] = network.kind
        setup["vectors"] = words if words in ("random", "encoder") else place_name(words)
    if distill.teacher:
        setup["teacher"] = place_name(distill.teacher)
        setup["transfer_copies"] = distill.copies
    return setup


def command_of_run(folder: Path) -> str:
    """Return the command that trains a run folder again, in a place of its own."""
    return typed_command("train", folder / "config.toml")
