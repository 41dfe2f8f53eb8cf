"""Figure 2: what [CLS] attends to in an invented text, without and with label embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from core.documents.document import Document
from core.errors import ConfigError
from core.insights import Attended, Attention, AttentionExample
from core.model.bundle.bundle import load_bundle
from core.model.bundle.manifest import MANIFEST
from core.model.cls_attention import cls_attention
from core.model.guided import GuidedClassifier
from core.suggest.windows import DocumentReader, ReadingSettings
from training.config import load_config
from training.fitting.run import Run, load_trained
from training.judging.folders import RunFolder
from training.judging.recorded import commit, typed_command

INVENTED = (
    "Wheat exports rose in May, the ministry said after a holiday week, although the school at "
    "the port was closed and sugar prices fell.",
    "Six year old girl with cough and fever since her holiday at the lake. Chest film: patchy "
    "opacity in the right lower lobe, consistent with pneumonia.",
)
"""Texts that nobody wrote, one after the manner of Reuters and one of a radiology report."""


@dataclass(frozen=True, slots=True)
class AttentionReader:
    """A trained model with what it reads texts by."""

    name: str
    model: GuidedClassifier
    tokenizer: Tokenizer
    reading: ReadingSettings

    @classmethod
    def load(cls, folder: Path) -> AttentionReader:
        """Load a model from the folder of a finished run or of a bundle.

        Raises:
            ConfigError: the folder is neither, or its weights are gone.
            BundleError: the bundle is damaged.
        """
        if (folder / MANIFEST).is_file():
            bundle = load_bundle(folder)
            reading = ReadingSettings(**bundle.manifest["reading"])
            return cls(folder.name, *bundle.guided, reading)
        finished = RunFolder.finished(folder).path
        if not (finished / "model.safetensors").is_file():
            raise ConfigError(f"{folder} has no model.safetensors any more: train the run anew.")
        run = Run(load_config(finished / "config.toml"), finished)
        return cls(folder.name, load_trained(run).eval(), run.tokenizer, run.serving_reading)

    def attended(self, text: str) -> Attended:
        """Return the word pieces of a text's first window, and the attention of [CLS] to each."""
        reader = DocumentReader(self.tokenizer, self.reading)
        ids = reader.read(Document.from_text("", "", text)).windows[0]
        input_ids = torch.tensor([ids])
        weights = cls_attention(self.model, input_ids, torch.ones_like(input_ids))[0]
        tokens = tuple(str(self.tokenizer.id_to_token(i)) for i in ids)
        return Attended(self._called(), tokens, tuple(round(w, 6) for w in weights.tolist()))

    def _called(self) -> str:
        n_labels = self.model.shape.n_label_embeddings
        return f"with {n_labels} label embeddings" if n_labels else "without label embeddings"


def compare_attention(
    plain: Path, labels: Path, texts: Sequence[str] = (), out: Path | None = None
) -> Path:
    """Read texts with two models and write what each attends to; returns the file.

    Args:
        plain, labels: folders of finished runs or bundles.
        texts: invented ones, since the file may be given away; `INVENTED` where none is given.
        out: `insights/attention.json` in the second folder where it is None.
    Raises:
        ConfigError: a folder holds no model, or the second has no label embeddings.
    """
    readers = [AttentionReader.load(folder) for folder in (plain, labels)]
    if not readers[1].model.shape.n_label_embeddings:
        raise ConfigError(f"{labels} was trained without label embeddings: name one with them.")
    examples = tuple(
        AttentionExample(text, tuple(reader.attended(text) for reader in readers))
        for text in texts or INVENTED
    )
    path = out or labels / "insights" / "attention.json"
    Attention(examples, _facts(plain, labels, texts)).save(path)
    return path


def _facts(plain: Path, labels: Path, texts: Sequence[str]) -> dict[str, Any]:
    return {
        "layer": "last",
        "query": "[CLS]",
        "heads": "mean",
        "models": f"{plain.name}, {labels.name}",
        "commit": commit(),
        "command": typed_command("attention", plain.name, labels.name, text=list(texts)),
    }
