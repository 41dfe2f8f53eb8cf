"""The bundle: one directory with everything that serving needs, and no pickle in it.

`bundle.json` describes the rest and holds a checksum of every other file; the weights are
safetensors in shards (with the linear suggester's beside them), the tokenizer is `tokenizer.json`, the labels are `label_space.jsonl` and the
calibration is `calibration.json`. Source: the project's design, “Bundle”.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from transformers import AutoConfig

from core.errors import BundleError, StrataError
from core.model.compression import Tensors, compress, decompress, shards
from core.model.guided import GuidedClassifier, Shape, empty_encoder
from core.model.manifest import (
    FORMAT_VERSION,
    MANIFEST,
    SENSELESS,
    damaged,
    identity,
    in_words,
    read_json,
    read_manifest,
    record_metrics,
    write_json,
)
from core.model.sparse_linear import SparseLinear
from core.vocabulary.labels import LabelSpace

__all__ = [
    "MANIFEST",
    "Bundle",
    "load_bundle",
    "record_metrics",
    "rewrite_checksums",
    "save_bundle",
]

SHARD_BYTES = 15_500_000
FIGURES = "insights"
"""Folder of what was measured on a bundle; no part of it."""
TRAINING_ONLY = ("auxiliary_heads.", "guided_heads.")
INT8 = ("encoder.embeddings.word_embeddings", "level_heads", "assigned_head")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A loaded bundle.

    Attributes:
        manifest: what `bundle.json` says.
        linear: the linear suggester, where the bundle has one.
        calibration: what `calibration.json` says.
        sha256: of what decides its answers: the manifest, and through its checksums all files, but
            not the figures that were measured on it later.
    """

    directory: Path
    manifest: Mapping[str, Any]
    model: GuidedClassifier
    linear: SparseLinear | None
    tokenizer: Tokenizer
    label_space: LabelSpace
    calibration: Mapping[str, Any]
    sha256: str

    @property
    def name(self) -> str:
        """What the bundle calls itself, such as “eurovoc”."""
        return str(self.manifest["name"])


def save_bundle(
    directory: Path,
    *,
    model: GuidedClassifier,
    tokenizer: Tokenizer,
    label_space: LabelSpace,
    calibration: Mapping[str, Any],
    facts: Mapping[str, Any],
    linear: SparseLinear | None = None,
) -> str:
    """Write a bundle in the place of what is there, and return what identifies it.

    Args:
        linear: a second suggester beside the guided one; `calibration` says how they are fused.
        facts: goes into the manifest as it is: name, reading, join, training, metrics, licence.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for old in (*directory.glob("*.safetensors"), *directory.glob("linear*")):
        old.unlink(missing_ok=True)
    # Figures that were measured on the bundle that stood here are none of this one's.
    if (directory / FIGURES).is_dir():
        shutil.rmtree(directory / FIGURES)
    state = {k: v for k, v in model.state_dict().items() if not k.startswith(TRAINING_ONLY)}
    groups = list(shards(compress(state, int8=INT8), max_bytes=SHARD_BYTES))
    for number, group in enumerate(groups, start=1):
        save_file(group, directory / f"model-{number:05d}.safetensors")
    if linear is not None:
        linear.save(directory)
    tokenizer.save(str(directory / "tokenizer.json"))
    label_space.save(directory / "label_space.jsonl")
    write_json(directory / "calibration.json", calibration)
    hierarchy = label_space.hierarchy
    manifest = {
        "format_version": FORMAT_VERSION,
        **facts,
        "suggesters": ["guided"] if linear is None else ["guided", "linear"],
        "vocabulary_id": hierarchy.vocabulary_id,
        "vocabulary_version": hierarchy.version,
        "shape": {**model.shape.to_dict(), "auxiliary_plan": "none", "guided_heads": "none"},
        "encoder": model.encoder.config.to_diff_dict(),  # type: ignore[union-attr, operator]
    }
    write_json(directory / MANIFEST, manifest)
    return rewrite_checksums(directory)


def rewrite_checksums(directory: Path) -> str:
    """Make the manifest agree with the files as they are; returns what identifies it."""
    manifest = read_json(directory / MANIFEST)
    files = sorted(p for p in directory.iterdir() if p.is_file() and _is_checked(p))
    manifest["files"] = {p.name: {"sha256": _sha256(p), "bytes": p.stat().st_size} for p in files}
    write_json(directory / MANIFEST, manifest)
    return identity(manifest)


def load_bundle(directory: Path) -> Bundle:
    """Read a bundle after checking its format, every checksum and every shape.

    Raises:
        BundleError: it is missing, damaged, or made by a newer or older program.
    """
    try:
        manifest = read_manifest(directory)
        _check_files(directory, manifest)
        label_space = LabelSpace.load(directory / "label_space.jsonl")
        tokenizer: Tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        calibration = read_json(directory / "calibration.json")
        model = _model(manifest, _weights(directory))
        has_linear = "linear" in manifest["suggesters"]
        linear = SparseLinear.load(directory, label_space) if has_linear else None
    except BundleError:
        raise
    except (*SENSELESS, OSError, RuntimeError, SafetensorError) as error:
        raise damaged(directory, in_words(error)) from error
    except StrataError as error:
        raise damaged(directory, str(error)) from error
    sha256 = identity(manifest)
    return Bundle(directory, manifest, model, linear, tokenizer, label_space, calibration, sha256)


def _check_files(directory: Path, manifest: Mapping[str, Any]) -> None:
    files = manifest.get("files")
    if not isinstance(files, dict) or not files:
        raise damaged(directory, f"{MANIFEST} lists no files")
    for name, facts in files.items():
        path = directory / name
        if not path.is_file():
            raise damaged(directory, f"{name} is missing")
        if _sha256(path) != facts["sha256"]:
            raise damaged(directory, f"{name} is not what it was when the bundle was made")


def _weights(directory: Path) -> Tensors:
    stored: dict[str, Tensor] = {}
    for path in sorted(directory.glob("model-*.safetensors")):
        stored.update(load_file(path))
    return decompress(stored)


def _model(manifest: Mapping[str, Any], state: Tensors) -> GuidedClassifier:
    encoder_config = dict(manifest["encoder"])
    config = AutoConfig.for_model(encoder_config.pop("model_type"), **encoder_config)
    shape = dict(manifest["shape"])
    shape["level_sizes"] = tuple(shape["level_sizes"])
    model = GuidedClassifier(empty_encoder(config), Shape(**shape))
    model.load_state_dict(state)
    return model.eval()


def _is_checked(path: Path) -> bool:
    return path.name != MANIFEST and path.suffix in {".safetensors", ".json", ".jsonl", ".txt"}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
