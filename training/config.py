"""One configuration a run: what is read, what is trained, and how, as a TOML file.

Presets give the defaults of a section: `paper` follows Manginas et al. (2020), Appendix B; `small`
is the recipe that trains MiniLM well; `multi-label` follows the article on multi-label BERT, and
`label-embedding` Wang et al. (2020), Appendix B. A key in the file overrides its preset.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from training.presets import PRESETS
from training.setting_values import TRUTHS, require_allowed


@dataclass(frozen=True, slots=True)
class DataConfig:
    """Which corpus and vocabulary, and what of them.

    Attributes:
        format: name of a reader in `training.readers`.
        path: folder of the corpus; relative to the configuration file.
        vocabulary: SKOS file; relative to the configuration file. "" for a flat list of labels:
            those that the corpus itself names.
        task: which of the tasks of a format, such as "mrpc" of "glue" or "single" of "reuters".
        newest: train on this many of the newest training documents; 0 for all.
        cut: train on this many, drawn at random with the run's seed; 0 for all.
        fold: "2/5" holds the second fifth of the corpus out as test; "" takes its own splits.
        judged: judge on at most this many test documents and half as many of dev, the same ones
            for every seed; 0 for all.
    """

    format: str = "acts_jsonl"
    path: str = ""
    vocabulary: str = ""
    task: str = ""
    newest: int = 0
    cut: int = 0
    fold: str = ""
    judged: int = 0


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Encoder, plan and heads.

    Attributes:
        encoder: hub id or folder of a `transformers` encoder.
        plan: flat, last_half, one_by_one, in_pairs or hybrid; "none" for no level heads.
        auxiliary_plan: plan of extra guided heads that only training uses; "none" for none.
        depth: levels that are learned.
        pooling: "cls" (the paper) or "mean".
        assigned_head: whether a head learns what is assigned.
        initialise_heads: "zero" or "names" (from the encoder's vectors of the labels).
        dropout: on the vectors that the heads read.
        encoder_dropout: inside the encoder (hidden states and attention).
        objective: "multi_label" (sigmoid and BCE) or "single_label" (softmax and cross-entropy
            of the assigned head).
        label_embeddings: "none", or how the label embeddings of the self-attention start:
            "random", "keywords" or "class_mean".
        label_levels: levels whose labels are embedded; 0 for the labels that are assigned.
        guided_heads: which attention heads learn a part of the hierarchy; "none" for none.
    """

    encoder: str = "bert-base-uncased"
    plan: str = "flat"
    auxiliary_plan: str = "none"
    depth: int = 6
    pooling: str = "cls"
    assigned_head: bool = False
    initialise_heads: str = "zero"
    dropout: float = 0.1
    encoder_dropout: float = 0.1
    objective: str = "multi_label"
    label_embeddings: str = "none"
    label_levels: int = 0
    guided_heads: str = "none"


@dataclass(frozen=True, slots=True)
class ReadingConfig:
    """How text becomes word pieces.

    Attributes:
        mode: "first" (the first word pieces of title and text: the paper), "windows" (the title
            alone, and windows of the text that each begin with the title) or "pair" (title and
            text as two texts with segments of their own, the longer cut first).
        max_length_tokens: length of one input, special tokens counted.
        title_tokens: word pieces of the title at the head of a window.
        max_title_tokens: word pieces of a title that is read alone.
        windows_per_document: windows drawn from each text in each epoch; with 0, texts are not
            read at evaluation either.
        boilerplate: regular expression of text that is skipped in training and serving.
        token_dropout: share of word pieces replaced by the mask token in training.
    """

    mode: str = "first"
    max_length_tokens: int = 512
    title_tokens: int = 48
    max_title_tokens: int = 96
    windows_per_document: int = 1
    boilerplate: str = ""
    token_dropout: float = 0.0


@dataclass(frozen=True, slots=True)
class OptimConfig:
    """Optimiser, schedule and loss.

    Attributes:
        encoder_lr, head_lr: peak learning rates.
        schedule: "constant", "linear" (warm-up and decay) or "one_cycle".
        warmup: share of the steps that the learning rate rises.
        batch_size: documents a step and process; `accumulate` batches make one update.
        epochs: passes over the training documents.
        loss_scale: "mean" (the paper's L) or "sum" (L times the number of labels: the same
            direction, and a size that suits larger learning rates).
        alpha: weight of the assigned head's loss beside the levels'.
        patience: epochs without a better dev loss before stopping; 0 never stops early.
        min_steps: at least this many updates, by more epochs where the corpus is small.
        dev_losses: how often in a run the dev loss is measured, about; early stopping reads it
            after each epoch.
        label_loss: weight λ of the loss of the label embeddings.
        heads_loss: weight of the loss of the guided attention heads.
        precision: "auto" (the fastest that this machine has), "fp32", "bf16" or "fp16".
    """

    optimizer: str = "adam"
    encoder_lr: float = 3e-5
    head_lr: float = 3e-5
    weight_decay: float = 0.0
    schedule: str = "constant"
    warmup: float = 0.0
    batch_size: int = 8
    accumulate: int = 1
    epochs: float = 20
    clip: float = 0.0
    loss_scale: str = "mean"
    alpha: float = 1.0
    patience: int = 2
    start_from: str = ""
    min_steps: int = 0
    dev_losses: int = 20
    label_loss: float = 3.0
    heads_loss: float = 1.0
    precision: str = "auto"


@dataclass(frozen=True, slots=True)
class AdaptConfig:
    """What an encoder learns from the words of a corpus alone (`training adapt`).

    Attributes:
        masked_lm: whether it learns to fill in word pieces that are hidden.
        next_sentence: whether it learns which segment of text follows another.
        mask_share: share of the word pieces that are to be predicted.
        full_texts_only: leave out documents of which only the title is known.
    """

    masked_lm: bool = True
    next_sentence: bool = True
    mask_share: float = 0.15
    full_texts_only: bool = False


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Everything that decides a run."""

    name: str = "run"
    preset: str = "paper"
    seed: int = 1
    checkpoint_minutes: float = 5.0
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    reading: ReadingConfig = field(default_factory=ReadingConfig)
    optim: OptimConfig = field(default_factory=OptimConfig)
    adapt: AdaptConfig = field(default_factory=AdaptConfig)

    def replace(self, key: str, value: Any) -> RunConfig:
        """A copy with one value changed, named as in the file: "seed" or "model.plan".

        Raises:
            ConfigError: there is no such setting, or it does not take the value.
        """
        section, _, name = key.rpartition(".")
        if key not in setting_names():
            raise ConfigError(_unknown(key))
        holder: Any = getattr(self, section) if section else self
        value = _typed(holder, name, value)
        require_allowed(key, value)
        changed = replace(holder, **{name: value})
        return replace(self, **{section: changed}) if section else changed

    def to_toml(self) -> str:
        """The resolved configuration, as a file that gives the same run."""
        top = {k: v for k, v in asdict(self).items() if not isinstance(v, dict)}
        lines = [f"{key} = {_literal(value)}" for key, value in top.items()]
        for section, values in asdict(self).items():
            if isinstance(values, dict):
                lines += ["", f"[{section}]"]
                lines += [f"{key} = {_literal(value)}" for key, value in values.items()]
        return "\n".join(lines) + "\n"

    def digest(self) -> str:
        """Eight hexadecimal digits that change when anything of the run changes."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:8]


def section_names() -> list[str]:
    """The tables of a configuration file."""
    config = RunConfig()
    return [f.name for f in fields(config) if is_dataclass(getattr(config, f.name))]


def setting_names() -> list[str]:
    """Every setting as `RunConfig.replace` names it: "seed", "model.plan" and so on."""
    config, sections = RunConfig(), section_names()
    names = [f.name for f in fields(RunConfig) if f.name not in sections]
    return names + [f"{s}.{f.name}" for s in sections for f in fields(getattr(config, s))]


def _unknown(key: str) -> str:
    """A sentence with the nearest setting, wherever it belongs."""
    section, _, name = key.rpartition(".")
    known = setting_names()
    if section and section not in section_names():
        nearest = difflib.get_close_matches(section, section_names(), n=1, cutoff=0.5)
        hint = f"; did you mean [{nearest[0]}]?" if nearest else "."
        sections = ", ".join(f"[{s}]" for s in section_names())
        return f"There is no section [{section}] in a run's configuration{hint} It has {sections}."
    if not section and name in section_names():
        return f"“{name}” is a section of a run's configuration: write [{name}] above its settings."
    by_name = {k.rpartition(".")[2]: k for k in known}
    by_name |= {k.rpartition(".")[2]: k for k in known if k.rpartition(".")[0] == section}
    nearest = [by_name[n] for n in difflib.get_close_matches(name, by_name, n=1, cutoff=0.6)]
    hint = f"; did you mean “{nearest[0]}”?" if nearest else "."
    return f"There is no setting “{key}” in a run's configuration{hint}"


def load_config(path: Path) -> RunConfig:
    """Read a run's configuration; relative paths in it start at the file's folder.

    Raises:
        ConfigError: the file is missing, is no TOML, or holds an unknown key or preset, or a value
            that its setting does not take.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"Cannot read the configuration {path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not a TOML file: {error}.") from error
    return _resolved(given, path.parent)


def _resolved(given: dict[str, Any], folder: Path) -> RunConfig:
    preset = given.get("preset", "paper")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ConfigError(f"There is no preset “{preset}”; take one of {', '.join(PRESETS)}.")
    for key, value in given.items():
        if isinstance(value, dict) and key not in section_names():
            raise ConfigError(_unknown(f"{key}."))
    config = RunConfig()
    for source in (PRESETS[preset], given):
        for key, value in _flat(source):
            config = config.replace(key, value)
    for key in ("data.path", "data.vocabulary", "model.encoder", "optim.start_from"):
        config = config.replace(key, _anchored(config, key, folder))
    return config


def _flat(source: dict[str, Any]) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for key, value in source.items():
        if isinstance(value, dict):
            pairs += [(f"{key}.{inner}", v) for inner, v in value.items()]
        else:
            pairs.append((key, value))
    return pairs


def _anchored(config: RunConfig, key: str, folder: Path) -> str:
    section, name = key.split(".")
    value = str(getattr(getattr(config, section), name))
    # A hub id looks like a relative path, so only what is there is taken for a folder; but what
    # begins with a dot can be nothing else, and is named in full when it is found missing.
    candidate = (folder / Path(value).expanduser()).resolve()
    is_place = candidate.exists() or value.startswith((".", "~"))
    return str(candidate) if value and is_place else value


def _typed(holder: Any, name: str, value: Any) -> Any:
    kinds = {f.name: f.type for f in fields(holder)}
    kind = kinds.get(name)
    try:
        if kind == "float" and isinstance(value, int | str) and not isinstance(value, bool):
            value = float(value)
        elif kind == "int" and isinstance(value, str):
            value = int(value)
        elif kind == "bool" and isinstance(value, str):
            value = TRUTHS.get(value.lower(), value)
    except ValueError:
        raise ConfigError(f"The setting “{name}” takes a {kind}, not {value!r}.") from None
    expected = {"float": float, "int": int, "bool": bool, "str": str}.get(str(kind))
    if expected and type(value) is not expected:
        raise ConfigError(f"The setting “{name}” takes a {kind}, not {value!r}.")
    return value


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else repr(value)
