"""One configuration a run: what is read, what is trained, and how, as a TOML file.

Presets give the defaults of a section: `paper` follows Manginas et al. (2020), Appendix B; `small`
is the recipe that trains MiniLM well; `multi-label` follows the article on multi-label BERT, and
`label-embedding` Wang et al. (2020), Appendix B; `docbert`, `kd_lstm_reg` and those named as the
networks follow Adhikari et al. (2019) and what it compares with. A key in the file overrides its
preset.
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
from training.config.presets import PRESETS
from training.config.sections import (
    AdaptConfig,
    DataConfig,
    DistillConfig,
    ModelConfig,
    NetworkSettings,
    OptimConfig,
    ReadingConfig,
)
from training.config.setting_values import TRUTHS, require_allowed

ANCHORED = (
    *("data.path", "data.vocabulary", "model.encoder", "optim.start_from"),
    *("network.vectors", "distill.teacher"),
)
"""Settings that name a place: a relative one starts at the folder of the configuration."""

NO_PLACES = {"network.vectors": ("random", "encoder"), "data.vocabulary": ("icd10cm",)}
"""Words that such a setting takes beside places."""

ADDED_LATER = (
    *("network", "distill"),
    *("optim.weight_average", "optim.max_minutes", "optim.select"),
    *("data.labels", "model.label_attention", "model.frozen"),
    *("reading.normalise", "reading.sections_left_out", "data.skip_levels"),
)
"""Sections and settings that came when runs had been made: they count where they are used."""


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
    network: NetworkSettings = field(default_factory=NetworkSettings)
    distill: DistillConfig = field(default_factory=DistillConfig)

    def replace(self, key: str, value: Any) -> RunConfig:
        """Return a copy with one value changed, named as in the file: "seed" or "model.plan".

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
        """Return the resolved configuration, as a file that gives the same run."""
        top = {k: v for k, v in asdict(self).items() if not isinstance(v, dict)}
        lines = [f"{key} = {_literal(value)}" for key, value in top.items()]
        for section, values in asdict(self).items():
            if isinstance(values, dict):
                lines += ["", f"[{section}]"]
                lines += [f"{key} = {_literal(value)}" for key, value in values.items()]
        return "\n".join(lines) + "\n"

    def digest(self) -> str:
        """Return eight hexadecimal digits that change when anything of the run changes.

        A setting that was added later counts only where it differs from its default, so that a run
        which was started before keeps its digest.
        """
        counted = _counted(self)
        return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).hexdigest()[:8]


def _counted(config: RunConfig) -> dict[str, Any]:
    """Return the settings without those that were added later and stand at their defaults."""
    defaults, counted = asdict(RunConfig()), asdict(config)
    for section, values in asdict(config).items():
        for name in values if isinstance(values, dict) else ():
            is_later = section in ADDED_LATER or f"{section}.{name}" in ADDED_LATER
            if is_later and values[name] == defaults[section][name]:
                del counted[section][name]
    return {key: value for key, value in counted.items() if value != {}}


def section_names() -> list[str]:
    """Return the tables of a configuration file."""
    config = RunConfig()
    return [f.name for f in fields(config) if is_dataclass(getattr(config, f.name))]


def setting_names() -> list[str]:
    """Return every setting as `RunConfig.replace` names it: "seed", "model.plan" and so on."""
    config, sections = RunConfig(), section_names()
    names = [f.name for f in fields(RunConfig) if f.name not in sections]
    return names + [f"{s}.{f.name}" for s in sections for f in fields(getattr(config, s))]


def _unknown(key: str) -> str:
    """Return a sentence with the nearest setting, wherever it belongs."""
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
    for key in ANCHORED:
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
    if value in NO_PLACES.get(key, ()):
        return value
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
