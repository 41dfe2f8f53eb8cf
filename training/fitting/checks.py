"""What cannot be trained: found in a configuration or a corpus before hours go into it."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoConfig

from core.errors import ConfigError
from core.model.plans import build_plan
from core.vocabulary.labels import LabelSpace
from training.config import NO_PLACES, ModelConfig, OptimConfig, ReadingConfig, RunConfig
from training.corpora.corpus import Splits
from training.corpora.label_spaces import vocabulary_of, without_general
from training.fitting.encoders.pretrained import loading_encoder
from training.fitting.inputs import SPECIAL_TOKENS
from training.networks.sequence_generator import check_generator

NEEDS_NOTHING = ("none", "flat")
"""Plans that every encoder carries, with levels of any number."""


def check_buildable(config: RunConfig) -> None:
    """Refuse what a model cannot be built from: word vectors, plans, heads and lengths.

    Raises:
        ConfigError: a setting does not fit the encoder or the others, or names nothing that is
            there.
        PlanError: a plan does not fit the encoder.
    """
    if config.network.kind != "none":
        check_vectors(config.network.vectors)
    check_plans(config)
    check_lengths(config)


def check_plans(config: RunConfig) -> None:
    """Refuse what the encoder cannot carry; a network's plans are checked with its other settings.

    Raises:
        PlanError: there is no such plan, or the encoder has too few layers.
        ConfigError: there is no such encoder.
    """
    model = config.model
    if config.network.kind != "none" or model.plan in NEEDS_NOTHING:
        return
    with loading_encoder(model.encoder):
        encoder: Any = AutoConfig.from_pretrained(model.encoder)
    build_plan(model.plan, n_layers=encoder.num_hidden_layers, n_levels=known_levels(config))


# Their tables begin with the places of padding, so that two of the rows are never a text's.
_OFFSET_POSITIONS = {"camembert", "mpnet", "roberta", "xlm-roberta"}


def check_lengths(config: RunConfig) -> None:
    """Refuse inputs that are longer than the encoder has positions for, or without any text.

    Raises:
        ConfigError: they are, or there is no such encoder.
    """
    reading = config.reading
    if reading.mode == "windows" and reading.windows_per_document:
        _check_room(reading)
    if config.network.kind != "none":
        return
    if reading.mode != "windows" or reading.windows_per_document:
        check_length(config.model.encoder, "max_length_tokens", reading.max_length_tokens)
    if reading.mode == "windows":
        check_length(config.model.encoder, "max_title_tokens", reading.max_title_tokens, special=2)


def _check_room(reading: ReadingConfig) -> None:
    """Refuse titles that fill a window, beside which nothing of the text is left."""
    most = reading.max_length_tokens - SPECIAL_TOKENS - 1
    if reading.title_tokens > most:
        raise ConfigError(
            f"reading.title_tokens = {reading.title_tokens} leaves no room for the text in windows "
            f"of {reading.max_length_tokens} tokens: set it to {max(most, 0)} or less, or raise "
            "reading.max_length_tokens."
        )


def check_length(encoder: str, setting: str, n_tokens: int, *, special: int = 0) -> None:
    """Refuse one length of [reading].

    Args:
        n_tokens: as set; `special` is how many tokens come to that.
    Raises:
        ConfigError: an input would be longer than the encoder reads, or there is no such encoder.
    """
    longest = longest_input(encoder)
    if longest is not None and n_tokens > longest - special:
        raise ConfigError(
            f"reading.{setting} = {n_tokens} is more than the encoder {encoder} reads: set it to "
            f"{longest - special} or less."
        )


def longest_input(encoder: str) -> int | None:
    """Return how many tokens an encoder reads, special tokens counted; None for any number.

    Raises:
        ConfigError: there is no such encoder.
    """
    with loading_encoder(encoder):
        encoder_config: Any = AutoConfig.from_pretrained(encoder)
    n_positions = getattr(encoder_config, "max_position_embeddings", None)
    if not n_positions or not getattr(encoder_config, "position_biased_input", True):
        return None  # it knows only how far apart two tokens are
    return int(n_positions) - 2 * (encoder_config.model_type in _OFFSET_POSITIONS)


def known_levels(config: RunConfig) -> int:
    """Return levels that will be learned, or 1 where the corpus has to be read to know."""
    data = config.data
    if not data.vocabulary or data.labels != "all":
        return 1
    space = LabelSpace(without_general(vocabulary_of(data.vocabulary), data.skip_levels))
    return min(config.model.depth, space.n_levels)


def check_labels(
    model: ModelConfig,
    label_space: LabelSpace,
    splits: Splits,
) -> None:
    """Refuse what cannot be learned with an objective.

    Raises:
        ConfigError: a split has no document; a plan has no levels to guide by; or the objective is
            "single_label", and there is no assigned head to learn it, or a document has no label,
            or several, or one that the head lacks.
    """
    _check_splits(splits)
    if model.plan not in NEEDS_NOTHING and min(model.depth, label_space.n_levels) == 1:
        raise ConfigError(
            f"The plan {model.plan} guides layers by the levels of a vocabulary, and only one level "
            "is learned here: set model.plan to flat or none, or name a vocabulary with levels "
            "(data.vocabulary)."
        )
    if model.objective != "single_label":
        return
    if not model.assigned_head:
        raise ConfigError(
            "The objective “single_label” is that of the assigned head: "
            "set model.assigned_head = true."
        )
    rows = (*splits.train, *splits.dev)
    others = [row.document_id for row in rows if len(row.assigned) != 1]
    if others:
        raise ConfigError(
            f"The objective “single_label” needs exactly one label a document, and {len(others):,} "
            f"have none or several, the first is {others[0]}; take “multi_label”, or a task of "
            "the corpus that has one (data.task)."
        )
    y_assigned = label_space.encode_assigned([row.assigned for row in rows])
    n_labels = np.asarray(y_assigned.sum(axis=1)).ravel()
    lost = [row for row, number in zip(rows, n_labels, strict=True) if number != 1]
    if lost:
        raise ConfigError(
            f"The label of {len(lost):,} documents is none that the vocabulary assigns, the first "
            f"is “{lost[0].assigned[0]}” of {lost[0].document_id}; take these documents out, or "
            "name the vocabulary that their labels are of (data.vocabulary)."
        )


def _check_splits(splits: Splits) -> None:
    """Refuse to train on nothing, or what is then measured on nothing."""
    if not splits.train:
        raise ConfigError(
            "There is no document to train on: the corpus has none in its training set, or "
            "data.fold and data.newest leave none."
        )
    for name, documents in (("dev", splits.dev), ("test", splits.test)):
        if not documents:
            raise ConfigError(
                f"There is no document to measure the run on: the corpus has none in its {name} "
                f"set, or data.fold leaves none. Add documents, or put some of them "
                f"in {name}."
            )


def check_network(config: RunConfig) -> None:
    """Refuse settings that a network has no use for, rather than pass them over.

    Raises:
        ConfigError: one of them is set.
    """
    kind, model = config.network.kind, config.model
    if kind == "none":
        return
    if kind == "sgm":
        check_generator(model, learns_assigned=model.assigned_head)
    for name, taken, why in _REFUSED:
        value = getattr(model, name)
        if value not in taken:
            raise ConfigError(
                f"A network ({kind}) {why}: set model.{name} = “{taken[0]}”, not “{value}”."
            )


_REFUSED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("plan", ("none", "flat"), "has one layer, so that all levels are learned on it"),
    ("pooling", ("cls",), "makes one vector of a text in its own way"),
    ("initialise_heads", ("zero",), "knows no names before it is trained"),
    ("label_embeddings", ("none",), "has no self-attention that labels could be embedded in"),
    ("label_attention", ("none",), "gives one vector a text, and no pieces to attend to"),
    ("frozen", ("none",), "learns its word vectors"),
)
"""Setting of [model], what of it applies, and why no more does."""


def check_select(config: RunConfig) -> None:
    """Refuse to choose weights by what is not measured.

    Raises:
        ConfigError: micro-F1 is asked for, and there is no head for what is assigned.
    """
    if config.optim.select == "micro_f1" and not config.model.assigned_head:
        raise ConfigError(
            "optim.select = “micro_f1” chooses weights by the assigned head, and there "
            "is no head for what is assigned: set model.assigned_head = true, or take “loss”."
        )


def check_optim(optim: OptimConfig) -> None:
    """Refuse settings of [optim] that contradict each other or name nothing that is there.

    A finished run may have been asked to choose among weights where none but the last are kept:
    nothing was chosen, and its weights are good.

    Raises:
        ConfigError: micro-F1 is to choose, and there is no patience; optim.min_steps is above
            optim.max_steps; or optim.start_from names no file, before texts are cut for an hour.
    """
    if optim.select == "micro_f1" and not optim.patience:
        raise ConfigError(
            "optim.select = “micro_f1” chooses the best weights, and without optim.patience the "
            "last ones are kept: set optim.patience to epochs that may pass without a better one, "
            "or leave out optim.select."
        )

    if 0 < optim.max_steps < optim.min_steps:
        raise ConfigError(
            f"optim.min_steps = {optim.min_steps} is above optim.max_steps = {optim.max_steps}: "
            "lower the first, raise the second, or leave one of them out."
        )

    if optim.start_from and not Path(optim.start_from).is_file():
        raise ConfigError(
            f"There is no {optim.start_from} to start from: train the run that makes it first, or "
            "leave out optim.start_from."
        )


def check_vectors(vectors: str) -> None:
    """Refuse what is neither a known word nor a file, before any text is read.

    Raises:
        ConfigError: with the nearest word.
    """
    if vectors in NO_PLACES["network.vectors"] or Path(vectors).is_file():
        return
    nearest = difflib.get_close_matches(vectors, NO_PLACES["network.vectors"], n=1, cutoff=0.6)
    hint = f"; did you mean “{nearest[0]}”?" if nearest else "."
    raise ConfigError(
        f"network.vectors is random, encoder, or a file of word vectors, and there is no file "
        f"“{vectors}”{hint}"
    )
