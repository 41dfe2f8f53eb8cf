"""The model bundles that can be served, each with a card that is read from its manifest alone."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.boundaries import SENSELESS, named, system_reason
from core.errors import BundleError
from core.model.bundle.coverage import Coverage
from core.model.bundle.manifest import (
    MADE_WITH,
    MANIFEST,
    damaged,
    identity,
    read_manifest,
    what_is_held,
)
from core.model.bundle.shared_parts import FOLDER, find_part, shared_with
from core.settings import Settings

_LOG = logging.getLogger(__name__)

NO_ENCODER: Mapping[str, Any] = {"model_type": "", "num_hidden_layers": 0, "hidden_size": 0}
"""Of a bundle whose linear suggester stands alone."""

NETWORK_NAMES: Mapping[str, str] = {"lstm_reg": "LSTM_reg"}
"""What stands in an encoder's place, as the literature writes it."""

Metrics = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Split -> kind of documents ("all", "titles", "full_texts") -> name of the metric -> its value."""


@dataclass(frozen=True, slots=True)
class Training:
    """What a bundle says of how it was made; None and "" where it does not say.

    Attributes:
        n_documents: different documents; `n_seen` counts each time that one was read.
        teacher: the folder of the run or bundle that it learned from beside them.
        trained_at: a date, or a moment, in ISO 8601.
    """

    n_documents: int | None = None
    n_seen: int | None = None
    n_steps: int | None = None
    minutes: float | None = None
    dtype: str = ""
    trained_at: str = ""
    commit: str = ""
    command: str = ""
    teacher: str = ""


@dataclass(frozen=True, slots=True)
class BundleCard:
    """What there is to know of a bundle before it is loaded.

    Attributes:
        name: what it calls itself; the folder's name where it cannot say.
        sha256: its identity; "" where the manifest cannot be read.
        problem: why it cannot be served, as a sentence; None where it can be.
            Checksums are looked at when it is loaded, not here.
        level_sizes: labels that it learns on each level, the most general first.
        n_assigned: labels that it can suggest.
        languages: of the texts that it was trained on, BCP 47 codes.
        encoder: where its weights began, or which small network it is, in words.
        pooling: "cls" or "mean"; "" of a network, which has a way of its own.
        max_windows: of a text that its encoder is given; 0 for all.
        size_bytes: of all its own files on the disk.
        shared_bytes: of the parts that it shares with other bundles.
        judged: split of `metrics` -> which documents and protocol its figures are of.
        twin_hash: of the bundle that was measured in its place; "" where it was measured itself.
        made_with: version of Strata; "" where it does not say.
        retrained: on what was decided in which project, in words; "" where it was not.
        coverage: share of concepts that are suggested at all; None where it was not measured.
        refreshed: with how many newer documents, and to which day; "" where it was not.
        held: of the documents of that project, as a sentence.
    """

    directory: Path
    name: str
    sha256: str = ""
    problem: str | None = None
    vocabulary_id: str = ""
    vocabulary_version: str = ""
    level_sizes: tuple[int, ...] = ()
    n_assigned: int = 0
    languages: tuple[str, ...] = ()
    encoder: str = ""
    n_layers: int = 0
    hidden_size: int = 0
    plan: str = ""
    objective: str = ""
    pooling: str = ""
    label_embeddings: str = ""
    suggesters: tuple[str, ...] = ()
    window_tokens: int = 0
    max_tokens: int = 0
    max_windows: int = 0
    size_bytes: int = 0
    shared_bytes: int = 0
    training: Training = Training()
    metrics: Metrics = field(default_factory=dict)
    judged: Mapping[str, str] = field(default_factory=dict)
    twin_hash: str = ""
    made_with: str = ""
    retrained: str = ""
    coverage: Coverage | None = None
    refreshed: str = ""
    held: str = ""
    licence: Mapping[str, str] = field(default_factory=dict)

    @property
    def bundle_hash(self) -> str:
        """By which its predictions name it."""
        return self.sha256[:16]

    @property
    def is_linear_alone(self) -> bool:
        """Whether it weighs words and has no encoder."""
        return "guided" not in self.suggesters


def find_bundles(settings: Settings) -> list[BundleCard]:
    """Return a card for each bundle that is there now, by name, then by folder; those that are
    broken too.

    Looked for in the folder of shipped models, in `models` of the home folder, and where
    `STRATA_BUNDLE` points.
    """
    folders = dict.fromkeys(folder.resolve() for folder in _folders(settings))
    return sorted(map(read_card, folders), key=lambda card: (card.name, str(card.directory)))


def read_card(directory: Path) -> BundleCard:
    """Return the card of the bundle in a folder; it says what is wrong where it cannot be
    served.
    """
    try:
        manifest = read_manifest(directory)
        json.dumps(manifest, ensure_ascii=False).encode()  # no half characters, which no page shows
        return _card(directory, manifest)
    except BundleError as error:
        problem = str(error)
    except SENSELESS as error:
        what = f"{MANIFEST} does not describe a bundle ({named(error)})"
        problem = str(damaged(directory, what))
    except OSError as error:  # a folder that is being removed, or a name that no disk takes
        reason = system_reason(error)
        problem = f"The folder {directory} cannot be read: {reason}. Look at its permissions."
    return BundleCard(directory, directory.name, problem=problem)


def _folders(settings: Settings) -> Iterator[Path]:
    for place in (settings.shipped_models, settings.own_models):
        yield from _inside(place)
    yield settings.bundle_dir


def _inside(place: Path) -> list[Path]:
    try:
        return [folder for folder in place.iterdir() if folder.is_dir() and _may_be_bundle(folder)]
    except FileNotFoundError:
        return []
    except OSError:
        _LOG.warning("no models can be looked for in %s", place, exc_info=True)
        return []


def _may_be_bundle(folder: Path) -> bool:
    return folder.name[0] != "." and folder.name != FOLDER


def _card(directory: Path, manifest: Mapping[str, Any]) -> BundleCard:
    shape, reading = manifest["shape"], manifest["reading"]
    suggesters = _words(manifest["suggesters"])
    encoder = manifest["encoder"] if "guided" in suggesters else NO_ENCODER
    is_network = encoder["model_type"] in NETWORK_NAMES
    about = manifest.get("about", {})
    languages = about.get("languages")
    licence = {str(name): str(words) for name, words in manifest.get("licence", {}).items()}
    return BundleCard(
        directory=directory,
        name=str(manifest["name"]),
        sha256=identity(manifest),
        problem=_problem(directory, manifest["files"]) or _unshared(directory, manifest),
        vocabulary_id=str(manifest["vocabulary_id"]),
        vocabulary_version=str(manifest["vocabulary_version"]),
        level_sizes=tuple(int(size) for size in shape["level_sizes"]),
        n_assigned=int(shape.get("n_assigned", 0)),
        languages=_words(languages) if isinstance(languages, list) else (),
        encoder=_encoder(encoder, licence),
        n_layers=int(encoder["num_hidden_layers"]),
        hidden_size=int(encoder["hidden_size"]),
        plan=str(shape["plan"]),
        objective=str(shape.get("objective", "multi_label")),
        pooling="" if is_network else str(shape.get("pooling", "cls")),
        label_embeddings=str(shape.get("label_embeddings", "none")),
        suggesters=suggesters,
        window_tokens=int(reading["window_tokens"]),
        max_tokens=int(reading["max_tokens"]),
        max_windows=int(reading.get("max_windows", 0)),
        size_bytes=_size(directory, manifest["files"]),
        shared_bytes=sum(int(part["bytes"]) for part in shared_with(manifest).values()),
        training=_training(manifest.get("training", {}), about),
        metrics=_metrics(manifest.get("metrics", {})),
        judged={str(of): str(words) for of, words in about.get("judged", {}).items()},
        twin_hash=str(about.get("twin", "")),
        made_with=str(manifest.get(MADE_WITH, "")),
        retrained=str(about.get("retrained", "")),
        coverage=Coverage.read(about),
        refreshed=str(about.get("refreshed", "")),
        held=what_is_held(manifest),
        licence=licence,
    )


def _encoder(encoder: Mapping[str, Any], licence: Mapping[str, str]) -> str:
    kind = str(encoder["model_type"])
    if kind not in NETWORK_NAMES:
        return licence.get("encoder") or kind
    words, size = int(encoder["vocab_size"]), int(encoder["vector_size"])
    return f"{NETWORK_NAMES[kind]}, a network over {words:,} word vectors of {size} numbers"


def _words(listed: object) -> tuple[str, ...]:
    if not isinstance(listed, list):
        raise TypeError(f"{str(listed)[:40]!r} is no list")
    return tuple(str(word) for word in listed)


def _training(recorded: Mapping[str, Any], about: Mapping[str, Any]) -> Training:
    both = {**recorded, **about}
    n_documents, n_seen = both.get("training_documents"), both.get("documents_seen")
    return Training(
        n_documents=None if n_documents is None else int(n_documents),
        n_seen=None if n_seen is None else int(n_seen),
        n_steps=None if both.get("steps") is None else int(both["steps"]),
        minutes=None if both.get("minutes") is None else float(both["minutes"]),
        dtype=str(both.get("dtype", "")).removeprefix("torch."),
        trained_at=str(both.get("trained_at", "")),
        commit=str(both.get("commit", "")),
        command=str(both.get("command", "")),
        teacher=str(both.get("teacher", "")),
    )


def _metrics(recorded: Mapping[str, Any]) -> Metrics:
    return {
        str(split): {
            str(kind): {
                str(name): float(value)
                for name, value in values.items()
                if isinstance(value, int | float) and math.isfinite(value)
            }
            for kind, values in kinds.items()
        }
        for split, kinds in recorded.items()
    }


def _problem(directory: Path, files: Mapping[str, Any]) -> str | None:
    if not files:
        return str(damaged(directory, f"{MANIFEST} lists no files"))
    if outside := [name for name in files if Path(name).name != name]:
        return str(damaged(directory, f"{outside[0]} is not a file of its folder"))
    missing = [name for name in files if not (directory / name).is_file()]
    if missing:
        return (
            f"{_listed(missing)} missing in {directory}. If the folder is still being copied, look "
            "again when that is done; else get the bundle again."
        )
    for name, facts in files.items():
        n_bytes = (directory / name).stat().st_size
        if "bytes" in facts and n_bytes != facts["bytes"]:
            return (
                f"{name} in {directory} has {n_bytes:,} bytes and should have {facts['bytes']:,}. If "
                "it is still being copied, look again when that is done; else get the bundle again."
            )
    return None


def _unshared(directory: Path, manifest: Mapping[str, Any]) -> str | None:
    try:
        for name, facts in shared_with(manifest).items():
            find_part(directory, name, facts)
    except BundleError as error:
        return str(error)
    return None


def _listed(missing: list[str]) -> str:
    if len(missing) == 1:
        return f"{missing[0]} is"
    return f"{missing[0]} and {len(missing) - 1} other file{'s' * (len(missing) > 2)} are"


def _size(directory: Path, files: Mapping[str, Any]) -> int:
    there = (directory / name for name in (MANIFEST, *files))
    return sum(path.stat().st_size for path in there if path.is_file())
