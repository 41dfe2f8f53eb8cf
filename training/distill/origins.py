"""What a run was made of beside its data: its teacher and its file of word vectors.

A configuration holds their paths, and so does its digest. A teacher that is trained anew in the same
folder is another one, and so is a file that is written anew, so that their checksums are kept too.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from core.errors import ConfigError
from training.config import RunConfig
from training.distill.teacher import teacher_identity
from training.fitting.loop import CHECKPOINT
from training.fitting.resume import ORIGINS

Origins = dict[str, str]
"""“teacher” and “vectors” -> checksum, of those that the run has and that are there."""


def origins_of(config: RunConfig) -> Origins:
    """The checksums of what is there now.

    Raises:
        ConfigError: nothing in the teacher's folder can teach.
    """
    found: Origins = {}
    if config.distill.teacher:
        found["teacher"] = teacher_identity(Path(config.distill.teacher))
    if config.network.kind != "none" and Path(config.network.vectors).is_file():
        with Path(config.network.vectors).open("rb") as file:
            found["vectors"] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def note_origins(config: RunConfig, out: Path) -> Origins:
    """Keep in the folder of a run what it is made of.

    Raises:
        ConfigError: a sitting before this one had a checkpoint, and another teacher or vectors.
    """
    found = origins_of(config)
    others = _differing(found, out)
    if others and (out / CHECKPOINT).is_file():
        raise ConfigError(
            f"{out} was begun when {_named(others)} had other contents: give another --out, or --fresh."
        )
    (out / ORIGINS).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def changed_since(config: RunConfig, out: Path) -> str:
    """A sentence where a finished run had another teacher or other vectors than are there now."""
    try:
        others = _differing(origins_of(config), out)
    except ConfigError:
        return ""  # the teacher is gone, and a finished student needs none
    if not others:
        return ""
    return f"{out} was trained when {_named(others)} had other contents; --fresh trains it anew."


def _differing(found: Origins, out: Path) -> list[str]:
    """What is known to have been another; of runs that kept nothing, nothing is."""
    try:
        kept = json.loads((out / ORIGINS).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return [name for name, checksum in found.items() if kept.get(name, checksum) != checksum]


def _named(names: list[str]) -> str:
    words = {"teacher": "distill.teacher", "vectors": "network.vectors"}
    return " and ".join(words[name] for name in names)
