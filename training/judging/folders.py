"""The folder of a finished run, of the classifier or of a baseline: its scores and its facts."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.settings import PROJECT_ROOT
from core.vocabulary.labels import LabelSpace
from training.config import DataConfig, load_config
from training.corpora.corpus import Corpus
from training.corpora.label_spaces import label_space_of
from training.corpora.readers import read_corpus
from training.corpora.sampling import folded, judged_alone
from training.judging.scores import Scores

TITLE_ALONE = "title_alone"
"""Suffix of the scores of full texts that were read by their titles alone."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that training wrote: run.json last, so that a folder with it is finished."""

    path: Path

    @classmethod
    def finished(cls, path: Path) -> RunFolder:
        """A folder whose run has ended.

        Raises:
            ConfigError: it is not there, or its run has not ended.
        """
        if not (path / "run.json").is_file():
            raise ConfigError(f"{path} holds no finished run: there is no run.json in it.")
        return cls(path)

    @property
    def facts(self) -> dict[str, Any]:
        """What run.json says: minutes, documents seen, versions and so on."""
        try:
            facts: dict[str, Any] = json.loads((self.path / "run.json").read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self.path / 'run.json'} cannot be read ({error}).") from error
        return facts

    def scores(self, split: str) -> Scores:
        """Raw scores of a split."""
        return Scores.load(self.path / f"scores_{split}.npz")

    def title_alone(self, split: str) -> Scores | None:
        """Scores of the split's full texts by their titles alone, where the run made them."""
        path = self.path / f"scores_{split}_{TITLE_ALONE}.npz"
        return Scores.load(path) if path.is_file() else None

    def data(self) -> DataConfig:
        """The data that the run was made from; the data for development where it does not say."""
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
        data = replace(data, vocabulary=str(development_data() / DEVELOPMENT_VOCABULARY))
    return JudgedData(corpus, label_space_of(corpus, data), data)


def load_corpus(data: DataConfig) -> Corpus:
    """Read the documents alone; where no path is named, those for development.

    Raises:
        ConfigError: the format has no data for development, and no path is named.
    """
    if not data.path and data.format not in DEVELOPMENT_FOLDERS:
        raise ConfigError(f"data.path must name the corpus: none of {data.format} comes along.")
    path = data.path or development_data() / DEVELOPMENT_FOLDERS[data.format]
    corpus = read_corpus(data.format, Path(path), data.task)
    if data.fold:
        corpus = folded(corpus, data.fold)
    return judged_alone(corpus, data.judged) if data.judged else corpus


def development_data() -> Path:
    """Where the data for development lies: `STRATA_DATA`, or beside the project."""
    return Path(os.environ.get("STRATA_DATA", PROJECT_ROOT.parent / "shared" / "data"))


NOTHING_NAMED = DataConfig(format="")
"""Options of a command line that says nothing about the data."""


def over(data: DataConfig, options: DataConfig) -> DataConfig:
    """What a run was made from, with what a command line names in its place.

    A corpus of the same format is read as the run's was; of another format, task and fold are its
    own.

    Args:
        options: "" for whatever was not named.
    """
    same = options.format in ("", data.format)
    return replace(
        data,
        format=options.format or data.format,
        path=options.path or (data.path if same else ""),
        vocabulary=options.vocabulary or data.vocabulary,
        task=options.task or (data.task if same else ""),
        fold=options.fold or (data.fold if same else ""),
    )
