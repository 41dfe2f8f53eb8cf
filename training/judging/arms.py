"""The arms of a comparison: a configuration with named changes, trained from several seeds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from training.config import ANCHORED, RunConfig
from training.judging.recorded import place_name, shown_place

PAPER_LEARNING_RATES = ("2e-5", "3e-5", "5e-5")
PAPER_DROPOUTS = ("0", "0.1")

UNIMPORTANT = ("name", "checkpoint_minutes", "seed")
"""Settings that change nothing that is measured; the seed is counted apart."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison: a name, and the settings in which it differs from the base."""

    name: str
    changes: tuple[tuple[str, str], ...] = ()

    def configure(self, base: RunConfig, seed: int) -> RunConfig:
        """Return the run of this arm with one seed.

        Raises:
            ConfigError: a setting does not exist, or does not take the value.
        """
        config = base.replace("name", f"{self.name}-s{seed}").replace("seed", seed)
        for key, value in self.changes:
            config = config.replace(key, value)
        return config

    def shown_changes(self) -> dict[str, str]:
        """Return the changes as shared files name them, without places of this machine."""
        return {key: shown_value(key, value) for key, value in self.changes}

    def as_option(self) -> str:
        """Return the value of `--arm` that makes it, quoted for a shell, with shown places."""
        changes = [f"{key}={value}" for key, value in self.shown_changes().items()]
        # Values with commas end with ";" each, so that one of them alone is not split either.
        with_commas = any("," in change for change in changes)
        joined = "".join(f"{change};" for change in changes) if with_commas else ",".join(changes)
        option = f"{self.name}:{joined}" if joined else self.name
        return f'"{option}"' if with_commas or " " in option else option


def shown_value(key: str, value: str) -> str:
    """Return a setting's value; of one that names a place here, as `shown_place` has it.

    A hub id looks like a relative path, so only what is there is taken for a place.
    """
    path = Path(value).expanduser() if value.startswith("~/") else Path(value)
    is_place = key in ANCHORED and value and (path.is_absolute() or path.exists())
    return shown_place(path) if is_place else value


def plan_arms(plans: str) -> list[Arm]:
    """Return an arm a plan, from "flat,last_half"."""
    return [Arm(plan, (("model.plan", plan),)) for plan in split_list(plans)]


def paper_grid(arms: Sequence[Arm]) -> list[Arm]:
    """Return each arm at every learning rate and dropout rate that the paper searched.

    The paper names neither what the dropout is applied to nor a separate rate for the heads, so
    both rates hold for encoder and heads alike.

    Source: Manginas et al. (2020), Appendix B.
    """
    return [
        Arm(
            f"{arm.name}_lr{rate}_dropout{dropout}".replace(".", ""),
            (
                *arm.changes,
                *((key, rate) for key in ("optim.encoder_lr", "optim.head_lr")),
                *((key, dropout) for key in ("model.dropout", "model.encoder_dropout")),
            ),
        )
        for arm in arms
        for rate, dropout in product(PAPER_LEARNING_RATES, PAPER_DROPOUTS)
    ]


def parse_arm(text: str) -> Arm:
    """Return an arm from "name:key=value,key=value"; "name" alone is the base as it is.

    Where values have commas themselves, ";" stands between or behind the changes.

    Raises:
        ConfigError: there is no name, or a change is not key=value.
    """
    name, _, rest = text.partition(":")
    pairs = [item.partition("=") for item in split_list(rest, ";" if ";" in rest else ",")]
    broken = [key for key, equals, _ in pairs if not equals or not key.strip()]
    if not name.strip() or broken:
        raise ConfigError(f"The arm {text!r} is not of the form name:key=value,key=value.")
    if not name.strip().replace("-", "").replace("_", "").isalnum():
        raise ConfigError(f"The arm's name {name!r} becomes a file's name: use letters and digits.")
    return Arm(name.strip(), tuple((key.strip(), value.strip()) for key, _, value in pairs))


def parse_seeds(text: str) -> list[int]:
    """Parse seeds such as "1,2,3".

    Raises:
        ConfigError: one of them is no whole number, or there is none.
    """
    try:
        seeds = [int(item) for item in split_list(text)]
    except ValueError:
        raise ConfigError(f"Seeds are whole numbers such as 1,2,3, not {text!r}.") from None
    if not seeds:
        raise ConfigError("A comparison needs at least one seed.")
    return seeds


def require_distinct(arms: Iterable[Arm]) -> list[Arm]:
    """Return the arms as a list, refused where two have one name."""
    checked = list(arms)
    names = [arm.name for arm in checked]
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        raise ConfigError(f"Two arms are called {doubles[0]!r}: each needs a name of its own.")
    if not checked:
        raise ConfigError("A comparison needs at least one plan or arm.")
    return checked


def portable_digest(config: RunConfig) -> str:
    """Return a digest of what is measured, the same on every machine and for every seed.

    Only settings that differ from their defaults count, so that a setting that comes with a later
    version leaves earlier rows as they are.
    """
    defaults, settings = _flat(RunConfig()), _flat(config)
    for key in ANCHORED:  # of a place on this machine, only the part that names it counts
        settings[key] = place_name(str(settings[key]))
    changed = {
        key: value
        for key, value in settings.items()
        if key not in UNIMPORTANT and value != defaults[key]
    }
    return hashlib.sha256(json.dumps(changed, sort_keys=True).encode()).hexdigest()[:12]


def _flat(config: RunConfig) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in config.model_dump().items():
        inner = value if isinstance(value, dict) else None
        flat |= {f"{key}.{k}": v for k, v in inner.items()} if inner is not None else {key: value}
    return flat


def split_list(text: str, separator: str = ",") -> list[str]:
    """Return the items of a list in a line of text, without blanks."""
    return [item.strip() for item in text.split(separator) if item.strip()]
