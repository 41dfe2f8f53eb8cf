"""The bundle: one directory with everything that serving needs, and no pickle in it.

`bundle.json` describes the rest and holds a checksum of every other file; the weights are
safetensors in shards (with the linear suggester's beside them), the tokenizer is `tokenizer.json`,
the labels are `label_space.jsonl` (gzipped, with `.gz` behind it, where a small network or words
alone are served) and the calibration is `calibration.json`.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoConfig

from core.boundaries import message
from core.errors import BundleError
from core.home import checksum_of
from core.model.bundle.compression import (
    check_settings,
    check_shapes,
    compress,
    decompress,
    shards,
    stored_shapes,
)
from core.model.bundle.contents import check_contents, is_checked
from core.model.bundle.manifest import (
    BUNDLE,
    DAMAGED,
    FORMAT_VERSION,
    MADE_WITH,
    MANIFEST,
    damaged,
    identity,
    read_json,
    read_manifest,
    write_json,
)
from core.model.bundle.shared_parts import find_part, share, shared_with
from core.model.guided import GuidedClassifier, Shape, empty_encoder
from core.model.networks import Network, NetworkConfig, build_network, is_network
from core.model.sparse_linear import SparseLinear
from core.version import __version__
from core.vocabulary.labels import PACKED, LabelSpace

SHARD_BYTES = 15_500_000
TOKENIZER_FILE = "tokenizer.json"
LABELS_FILE = "label_space.jsonl"
FIGURES = "insights"
"""Folder of what was measured on a bundle; no part of it."""
NETWORK_SIZES = ("num_hidden_layers", "hidden_size")
"""What a manifest says of a network beside its settings."""
WORD_EMBEDDINGS = "encoder.embeddings.word_embeddings"
WORDS_FILE = "word_embeddings.safetensors"
INT8 = (WORD_EMBEDDINGS, "level_heads", "assigned_head")
INT8_LAYERS = (*INT8, "encoder.encoder.layer")
"""The products of the layers too: half the size, for models that learned little beside them."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A loaded bundle.

    Attributes:
        manifest: what `bundle.json` says.
        model, tokenizer: of the guided suggester; None where the linear one stands alone.
        linear: the linear suggester, where the bundle has one.
        calibration: what `calibration.json` says.
        sha256: of what decides its answers: the manifest, and through its checksums all files, but
            not the figures that were measured on it later.
    """

    directory: Path
    manifest: Mapping[str, Any]
    model: GuidedClassifier | None
    linear: SparseLinear | None
    tokenizer: Tokenizer | None
    label_space: LabelSpace
    calibration: Mapping[str, Any]
    sha256: str

    @property
    def name(self) -> str:
        """What the bundle calls itself, such as “eurovoc”."""
        return str(self.manifest["name"])

    @property
    def guided(self) -> tuple[GuidedClassifier, Tokenizer]:
        """The guided suggester and its tokenizer, for what looks into an encoder.

        Raises:
            BundleError: the bundle has none.
        """
        if self.model is None or self.tokenizer is None:
            raise BundleError(
                f"The model bundle in {self.directory} has a linear suggester alone, and no "
                "encoder to look into: name another bundle."
            )
        return self.model, self.tokenizer


def save_bundle(
    directory: Path,
    *,
    model: GuidedClassifier | None,
    tokenizer: Tokenizer | None,
    label_space: LabelSpace,
    calibration: Mapping[str, Any],
    facts: Mapping[str, Any],
    linear: SparseLinear | None = None,
    shared: Path | None = None,
    int8: tuple[str, ...] = INT8,
) -> str:
    """Write a bundle in the place of what is there, and return what identifies it.

    Args:
        model, tokenizer: of the guided suggester; None where the linear one stands alone, whose
            margins `calibration` then scales.
        linear: a second suggester beside the guided one; `calibration` says how they are fused.
        facts: goes into the manifest as it is: name, reading, join, training, metrics, licence.
        shared: folder of parts that bundles share; tokenizer and word embeddings go there.
        int8: beginnings of the names of the tables that are kept in int8.
    """
    if model is None and linear is None:
        raise BundleError("A bundle needs a suggester: a guided one, a linear one, or both.")
    _clear(directory)
    if model is not None:
        save_weights(directory, model, int8, apart=shared is not None)
    if linear is not None:
        linear.save(directory)
    if tokenizer is not None:
        tokenizer.save(str(directory / TOKENIZER_FILE), pretty=False)
    # Beside a small network or words alone the labels' names would be the second largest part.
    is_small = model is None or isinstance(model.encoder, Network)
    label_space.save(directory / (LABELS_FILE + (PACKED if is_small else "")))
    write_json(directory / "calibration.json", calibration)
    hierarchy = label_space.hierarchy
    manifest = {
        "format_version": FORMAT_VERSION,
        MADE_WITH: __version__,
        **facts,
        **_shared_out(directory, shared),
        "suggesters": [
            name for name, member in (("guided", model), ("linear", linear)) if member is not None
        ],
        "vocabulary_id": hierarchy.vocabulary_id,
        "vocabulary_version": hierarchy.version,
        **(_linear_shape(label_space, calibration) if model is None else _guided_shape(model)),
    }
    write_json(directory / MANIFEST, manifest)
    return rewrite_checksums(directory)


def _clear(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for written in ("*.safetensors", "linear*", TOKENIZER_FILE, f"{LABELS_FILE}*"):
        for old in directory.glob(written):
            old.unlink(missing_ok=True)
    # Figures that were measured on the bundle that stood here are none of this one's.
    if (directory / FIGURES).is_dir():
        shutil.rmtree(directory / FIGURES)


def save_weights(
    directory: Path, model: GuidedClassifier, int8: tuple[str, ...] = INT8, *, apart: bool = False
) -> None:
    """Write the shards of a bundle; with `apart`, word embeddings as a file of their own."""
    stored = compress(model.state_dict(), int8=int8)
    if words := {k: v for k, v in stored.items() if apart and k.startswith(WORD_EMBEDDINGS)}:
        save_file(words, directory / WORDS_FILE)
    rest = {k: v for k, v in stored.items() if k not in words}
    groups = list(shards(rest, max_bytes=SHARD_BYTES))
    for number, group in enumerate(groups, start=1):
        save_file(group, directory / f"model-{number:05d}.safetensors")


def _shared_out(directory: Path, store: Path | None) -> dict[str, Any]:
    if store is None:
        return {}
    files = [directory / name for name in (TOKENIZER_FILE, WORDS_FILE)]
    return {"shared": {file.name: share(file, store) for file in files if file.is_file()}}


def share_tokenizer(directory: Path, store: Path) -> str:
    """Move the tokenizer of a bundle into the shared folder, or drop it where that has it already.

    Returns:
        What identifies the bundle: the same as before.
    Raises:
        BundleError: there is no bundle.
    """
    manifest = read_manifest(directory)
    if (directory / TOKENIZER_FILE).is_file():
        shared = dict(shared_with(manifest))
        shared[TOKENIZER_FILE] = share(directory / TOKENIZER_FILE, store)
        write_json(directory / MANIFEST, {**manifest, "shared": shared})
    return rewrite_checksums(directory)


def _guided_shape(model: GuidedClassifier) -> dict[str, Any]:
    config: Any = model.encoder.config
    encoder = config.to_diff_dict()
    if isinstance(model.encoder, Network):
        # Cards are written without torch, which computes these from a network's settings.
        sizes = ("vector_size", *NETWORK_SIZES)
        encoder |= {name: getattr(config, name) for name in sizes}
    return {
        "shape": model.shape.to_dict(),
        # Where else code lies says the configuration of an encoder that was fetched.
        "encoder": {name: value for name, value in encoder.items() if not _names_code(name)},
    }


def _linear_shape(label_space: LabelSpace, calibration: Mapping[str, Any]) -> dict[str, Any]:
    levels = range(1, len(calibration["levels"]) + 1)
    return {
        "shape": {
            "plan": "none",
            "level_sizes": [len(label_space.level_columns(level)) for level in levels],
            "n_assigned": int(label_space.assignable.sum()),
            "objective": calibration["objective"],
        }
    }


def rewrite_checksums(directory: Path) -> str:
    """Make the manifest agree with the files as they are; returns what identifies it."""
    manifest = read_json(directory / MANIFEST)
    files = sorted(p for p in directory.iterdir() if p.is_file() and is_checked(p))
    manifest["files"] = {
        p.name: {"sha256": checksum_of(p), "bytes": p.stat().st_size} for p in files
    }
    write_json(directory / MANIFEST, manifest)
    return identity(manifest)


def load_bundle(directory: Path) -> Bundle:
    """Read a bundle after checking its format, every checksum and every shape.

    Raises:
        BundleError: it is missing, damaged, or made by a newer or older program.
    """
    with BUNDLE.translated(DAMAGED, directory=directory):
        manifest = read_manifest(directory)
        check_contents(directory, manifest)
        label_space = LabelSpace.load(directory / LABELS_FILE)
        calibration = read_json(directory / "calibration.json")
        suggesters = manifest["suggesters"]
        model, tokenizer = None, None
        if "guided" in suggesters:
            tokenizer = _tokenizer(_tokenizer_file(directory, manifest))
            model = _model(directory, manifest)
        linear = SparseLinear.load(directory, label_space) if "linear" in suggesters else None
    sha256 = identity(manifest)
    return Bundle(directory, manifest, model, linear, tokenizer, label_space, calibration, sha256)


def _tokenizer(path: Path) -> Tokenizer:
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:
        raise damaged(path.parent, f"{path.name} is no tokenizer ({message(error)})") from error


def _tokenizer_file(directory: Path, manifest: Mapping[str, Any]) -> Path:
    shared = shared_with(manifest).get(TOKENIZER_FILE)
    own_file = directory / TOKENIZER_FILE
    return own_file if shared is None else find_part(directory, TOKENIZER_FILE, shared)


def _weight_files(directory: Path, manifest: Mapping[str, Any]) -> list[Path]:
    shared = shared_with(manifest).get(WORDS_FILE)
    words = [find_part(directory, WORDS_FILE, shared)] if shared else []
    return [*words, *sorted(directory.glob("model-*.safetensors"))]


def _model(directory: Path, manifest: Mapping[str, Any]) -> GuidedClassifier:
    files = _weight_files(directory, manifest)
    shapes = stored_shapes(files)
    check_settings({name: manifest[name] for name in ("encoder", "shape")}, shapes)
    with torch.device("meta"):  # which has shapes, and no memory
        check_shapes(_built(manifest).state_dict(), shapes)
    stored: dict[str, Tensor] = {}
    for path in files:
        stored.update(load_file(path))
    model = _built(manifest)
    model.load_state_dict(decompress(stored))
    return model.eval()


def _built(manifest: Mapping[str, Any]) -> GuidedClassifier:
    shape = Shape.from_dict(manifest["shape"])
    return GuidedClassifier(_empty(manifest["encoder"]), shape)


def _empty(encoder: Mapping[str, Any]) -> nn.Module:
    settings = dict(encoder)
    _refuse_code(settings)
    if is_network(settings["model_type"]):
        settings = {name: value for name, value in settings.items() if name not in NETWORK_SIZES}
        return build_network(NetworkConfig.from_dict(settings))
    return empty_encoder(AutoConfig.for_model(settings.pop("model_type"), **settings))


def _refuse_code(settings: object) -> None:
    """Raise ValueError where settings name code that would be fetched, or packages to run it."""
    if isinstance(settings, Mapping):
        for name, value in settings.items():
            if _names_code(name) and value is not None:
                raise ValueError(f"its settings name code that is not part of Strata ({name})")
            _refuse_code(value)
    elif isinstance(settings, list):
        for value in settings:
            _refuse_code(value)


def _names_code(name: str) -> bool:
    # Of `transformers`: kernels are fetched by `attn_implementation`, classes by `auto_map`.
    return name in {"auto_map", "quantization_config"} or "_implementation" in name
