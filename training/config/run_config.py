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
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from core.errors import ConfigError
from training.config.presets import PRESETS
from training.config.sections import (
    AdaptConfig,
    Amount,
    ConfigSection,
    Count,
    DataConfig,
    DistillConfig,
    ModelConfig,
    NetworkSettings,
    OptimConfig,
    ReadingConfig,
)

ANCHORED = (
    *("data.path", "data.vocabulary", "model.encoder", "optim.start_from"),
    *("network.vectors", "distill.teacher"),
)
"""Settings that name a place: a relative one starts at the folder of the configuration."""

NO_PLACES = {"network.vectors": ("random", "encoder"), "data.vocabulary": ("icd10cm",)}
"""Words that such a setting takes beside places."""


class RunConfig(ConfigSection):
    """Everything that decides a run."""

    name: str = "run"
    """Of the run and its folder."""
    preset: str = "paper"
    """Defaults that the run starts from."""
    seed: Count = 1
    """Of all that is drawn at random."""
    checkpoint_minutes: Amount = 5.0
    """Minutes between two checkpoints."""
    data: DataConfig = DataConfig()
    model: ModelConfig = ModelConfig()
    reading: ReadingConfig = ReadingConfig()
    optim: OptimConfig = OptimConfig()
    adapt: AdaptConfig = AdaptConfig()
    network: NetworkSettings = NetworkSettings()
    distill: DistillConfig = DistillConfig()

    def replace(self, key: str, value: Any) -> RunConfig:
        """Return a copy with one value changed, named as in the file: "seed" or "model.plan".

        Raises:
            ConfigError: there is no such setting, or it does not take the value.
        """
        section, _, name = key.rpartition(".")
        change = {section: {name: value}} if section else {name: value}
        # Only what was set: a default stays as it is written, which a digest counts.
        return _checked(_merged(self.model_dump(exclude_unset=True), change))

    def value(self, key: str) -> Any:
        """Return the value of a setting, named as in the file."""
        section, _, name = key.rpartition(".")
        return getattr(getattr(self, section) if section else self, name)

    def to_toml(self) -> str:
        """Return the resolved configuration, as a file that gives the same run."""
        settings = self.model_dump()
        as_toml = partial(json.dumps, ensure_ascii=False)  # of plain values TOML is as JSON
        lines = [f"{k} = {as_toml(v)}" for k, v in settings.items() if not isinstance(v, dict)]
        for section in section_names():
            lines += ["", f"[{section}]"]
            lines += [f"{key} = {as_toml(value)}" for key, value in settings[section].items()]
        return "\n".join(lines) + "\n"

    def digest(self) -> str:
        """Return eight hexadecimal digits that change when anything of the run changes."""
        counted = self.model_dump()
        return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).hexdigest()[:8]


def section_names() -> list[str]:
    """Return the tables of a configuration file."""
    return [name for name in RunConfig.model_fields if _settings(name)]


def setting_names() -> list[str]:
    """Return every setting as `RunConfig.replace` names it: "seed", "model.plan" and so on."""
    names = [name for name in RunConfig.model_fields if not _settings(name)]
    return names + [
        f"{section}.{name}" for section in section_names() for name in _settings(section)
    ]


def _settings(section: str) -> dict[str, FieldInfo]:
    kind: Any = RunConfig.model_fields[section].annotation
    return kind.model_fields if issubclass(kind, ConfigSection) else {}


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
    preset = given.get("preset", "paper")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ConfigError(f"There is no preset “{preset}”; take one of {', '.join(PRESETS)}.")
    config = _checked(_merged(PRESETS[preset], given))
    for key in ANCHORED:
        config = config.replace(key, _anchored(key, config.value(key), path.parent))
    return config


def _merged(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(settings)
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = {**merged[key], **value} if both else value
    return merged


def _checked(settings: Mapping[str, Any]) -> RunConfig:
    try:
        return RunConfig.model_validate(settings)
    except ValidationError as error:
        raise ConfigError(_refusal(error.errors()[0])) from None


def _refusal(error: ErrorDetails) -> str:
    key, message = ".".join(map(str, error["loc"])), error["msg"]
    if error["type"] == "extra_forbidden":
        return _unknown(key, is_section=isinstance(error["input"], dict))
    if key in section_names():
        return f"“{key}” is a section of a run's configuration: write [{key}] above its settings."
    return f"“{key}” cannot be {error['input']!r}: {message[0].lower()}{message[1:]}."


def _unknown(key: str, *, is_section: bool) -> str:
    section, _, name = key.rpartition(".")
    settings = setting_names()
    by_name = {k.rpartition(".")[2]: k for k in settings}
    by_name |= {k.rpartition(".")[2]: k for k in settings if k.startswith(f"{section}.")}
    if is_section:
        by_name = {section: f"[{section}]" for section in section_names()}
    nearest = difflib.get_close_matches(name, by_name, n=1, cutoff=0.6)
    hint = f"; did you mean “{by_name[nearest[0]]}”?" if nearest else "."
    return f"There is no setting “{key}” in a run's configuration{hint}"


def _anchored(key: str, value: str, folder: Path) -> str:
    if value in NO_PLACES.get(key, ()):
        return value
    # A hub id looks like a relative path, so only what is there is taken for a folder; but what
    # begins with a dot can be nothing else, and is named in full when it is found missing.
    candidate = (folder / Path(value).expanduser()).resolve()
    is_place = candidate.exists() or value.startswith((".", "~"))
    return str(candidate) if value and is_place else value
