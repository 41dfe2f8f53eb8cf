"""Guidance plans: which encoder layers learn which level of the hierarchy.

Source: Manginas, Chalkidis and Malakasiotis (2020), section 3 and Figure 1. The five plans are the
paper's for 12 layers and 6 levels; each has one rule for other shapes, written beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.errors import PlanError

Layers = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """For each level, from the most general, the layers whose vectors its head reads.

    Attributes:
        layers: one tuple a level; layers count from 1, as in the paper.
    """

    name: str
    layers: Layers

    def __str__(self) -> str:
        """The plan as the paper writes it: `4, 5, (6,7), 12`."""
        return ", ".join(str(x[0]) if len(x) == 1 else f"({x[0]},{x[1]})" for x in self.layers)


def flat(n_layers: int, n_levels: int) -> Layers:
    """Return FLAT: every level from the last layer."""
    return ((n_layers,),) * n_levels


def last_half(n_layers: int, n_levels: int) -> Layers:
    """Return LAST-SIX: the levels spread evenly, in order, over the last half of the layers."""
    half = n_layers // 2
    first = n_layers - half
    return tuple((first + -(-level * half // n_levels),) for level in range(1, n_levels + 1))


def one_by_one(n_layers: int, n_levels: int) -> Layers:
    """Return ONE-BY-ONE: equal steps over the full depth, the last level from the last layer."""
    step = n_layers // n_levels
    return tuple((n_layers - (n_levels - level) * step,) for level in range(1, n_levels + 1))


def in_pairs(n_layers: int, n_levels: int) -> Layers:
    """Return IN-PAIRS: consecutive pairs, the last level from the last two layers."""
    first = n_layers - 2 * n_levels
    return tuple((first + 2 * i + 1, first + 2 * i + 2) for i in range(n_levels))


def hybrid(n_layers: int, n_levels: int) -> Layers:
    """Return HYBRID: levels 1, 2 and the last from one layer each, pairs between, up to the last
    layer.
    """
    widths = [1 if level in (1, 2, n_levels) else 2 for level in range(1, n_levels + 1)]
    layers, top = [], n_layers
    for width in reversed(widths):
        layers.append(tuple(range(top - width + 1, top + 1)))
        top -= width
    return tuple(reversed(layers))


@dataclass(frozen=True, slots=True)
class _Rule:
    build: Callable[[int, int], Layers]
    layers_needed: Callable[[int], int]


_RULES: dict[str, _Rule] = {
    "flat": _Rule(flat, lambda levels: 1),
    "last_half": _Rule(last_half, lambda levels: 2),
    "one_by_one": _Rule(one_by_one, lambda levels: levels),
    "in_pairs": _Rule(in_pairs, lambda levels: 2 * levels),
    "hybrid": _Rule(hybrid, lambda levels: levels + max(0, levels - 3)),
}
PLAN_NAMES = tuple(_RULES)
"""All plans, the paper's five in the order of its Table 1; tables and utilization take what stands here."""


def build_plan(name: str, *, n_layers: int, n_levels: int) -> Plan:
    """Return the plan of that name for an encoder of `n_layers` and a hierarchy of `n_levels`.

    Raises:
        PlanError: no plan has the name, or the encoder has too few layers for it.
    """
    key = name.lower().replace("-", "_").replace("last_six", "last_half")
    if key not in _RULES:
        raise PlanError(f"There is no plan “{name}”; take one of {', '.join(PLAN_NAMES)}.")
    if n_levels < 1:
        raise PlanError(f"The plan {key} needs at least one level to learn, not {n_levels}.")
    needed = _RULES[key].layers_needed(n_levels)
    if n_layers < needed:
        raise PlanError(
            f"The plan {key} needs an encoder of at least {needed} layers for {n_levels} levels; "
            f"this one has {n_layers}."
        )
    return Plan(key, _RULES[key].build(n_layers, n_levels))
