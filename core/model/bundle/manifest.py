"""`bundle.json`: what describes a bundle, holds the checksums of its files, and needs no torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from core.boundaries import SENSELESS, Boundary, named
from core.errors import BundleError, StrataError

FORMAT_VERSION = 1
MANIFEST = "bundle.json"
MOST_SETTINGS_BYTES = 5_000_000
"""Of a file of settings; those of the largest models have 20 kB."""
DECISIONS = "corrected"
"""Entry of `suggesters` where a bundle has decisions of a project."""
LEAST_DOCUMENTS = 5
"""So many documents of a project must have a word before a bundle that was retrained there holds it:
fewer may all be of one person. Words of the vocabulary's labels are public."""
WORDS_OF = "least_documents"
"""What the manifest of a retrained bundle says of that."""
MADE_WITH = "made_with"
"""The version of Strata that wrote a bundle."""
# Says nothing of a bundle's answers: figures, and facts for the reader of the card.
BESIDE = frozenset({"metrics", "about", MADE_WITH})
DAMAGED = (
    "The model bundle in {directory} is damaged: {reason}. Get it again, or name another "
    "folder with STRATA_BUNDLE."
)
BUNDLE = Boundary(
    BundleError,
    {
        **dict.fromkeys((*SENSELESS, OSError, RuntimeError, ImportError, SafetensorError), named),
        StrataError: str,
    },
)


def read_manifest(directory: Path, *, source: str = "") -> dict[str, Any]:
    """Return the manifest alone, with its format checked.

    Args:
        source: where the bundle comes from, which messages name in place of the directory.
    Raises:
        BundleError: there is none, it is of another format, or it was retrained without a guard of
            words.
    """
    path, place = directory / MANIFEST, source or directory
    if not path.is_file():
        raise BundleError(
            f"There is no model bundle in {place}: {MANIFEST} is missing. "
            "Name another folder with STRATA_BUNDLE, or get the bundle again."
        )
    manifest = read_json(path, source=source)
    stated_format = manifest.get("format_version")
    if stated_format != FORMAT_VERSION:
        raise BundleError(
            f"The model bundle in {place} is of format {stated_format}; this program reads format "
            f"{FORMAT_VERSION}. Get a bundle that was made for this version."
        )
    if DECISIONS in manifest.get("suggesters", ()) and manifest.get(WORDS_OF) != LEAST_DOCUMENTS:
        raise BundleError(
            f"The model bundle in {place} holds words that stand in single documents of a project, "
            "such as names of patients. Retrain its model with this version."
        )
    return manifest


def identity(manifest: Mapping[str, Any]) -> str:
    """Return the checksum of what decides a bundle's answers: its manifest without what is written
    later.

    Where a file lies decides nothing: a bundle stays the same when it shares one with others.
    """
    lasting = {key: value for key, value in manifest.items() if key not in BESIDE}
    if shared := lasting.pop("shared", None):
        lasting["files"] = {**lasting["files"], **shared}
    return hashlib.sha256(json.dumps(lasting, sort_keys=True).encode()).hexdigest()


def what_is_held(manifest: Mapping[str, Any]) -> str:
    """Return what a bundle holds of the documents that it was retrained from; "" of any other."""
    if DECISIONS not in manifest["suggesters"]:
        return ""
    return (
        "It holds decisions of a project: of each finished document, without its id, the concepts, "
        f"and checksums of words that {LEAST_DOCUMENTS} documents or a label have; no other words, "
        "and no texts."
    )


def record_metrics(directory: Path, metrics: Mapping[str, Any]) -> None:
    """Write figures that were measured on a bundle into its manifest; it stays the same bundle."""
    _record(directory, "metrics", metrics)


def record_about(directory: Path, about: Mapping[str, Any]) -> None:
    """Write facts for the reader of its card into the manifest; it stays the same bundle.

    Args:
        about: any of `languages` (BCP 47 codes), `training_documents`, `trained_at` (ISO 8601),
            `command` (in place of that of `training`), `judged` (which documents and protocol the
            figures of a split are of), `threshold` (of the best micro-F1 on dev), and `twin` (hash
            of the bundle that figures were measured on where this one has seen the documents),
            `retrained` (on what was decided in which project), and `coverage` (see `coverage.py`).
    """
    _record(directory, "about", about)


def _record(directory: Path, name: str, facts: Mapping[str, Any]) -> None:
    manifest = read_manifest(directory)
    manifest[name] = {**manifest.get(name, {}), **facts}
    write_json(directory / MANIFEST, manifest)


def damaged(directory: Path | str, what: str) -> BundleError:
    """Return the error for a bundle that cannot be loaded as it is."""
    return BundleError(DAMAGED.format(directory=directory, reason=what))


def read_json(path: Path, *, source: str = "") -> dict[str, Any]:
    """Return a file of settings.

    Args:
        source: where its bundle comes from, which messages name in place of the directory.
    Raises:
        BundleError: it cannot be read, or holds something else.
    """
    place, reason = source or path.parent, f"{path.name} cannot be read"
    with BUNDLE.translated(DAMAGED, directory=place, reason=reason):
        if path.stat().st_size > MOST_SETTINGS_BYTES:
            raise damaged(place, f"{path.name} has more than {MOST_SETTINGS_BYTES / 1e6:.0f} MB")
        data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        raise damaged(place, f"{path.name} holds no settings")
    return data


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a file of settings."""
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
