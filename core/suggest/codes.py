"""What suggests codes by their names in a note: `core/__init__.py` registers it here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # this is imported with the package
    from core.suggest.protocol import Suggester, SuggestsCodes
    from core.vocabulary.concepts import Hierarchy


_registered: list[Callable[..., SuggestsCodes]] = []


def register(makes: Callable[..., SuggestsCodes]) -> None:
    """Make known what `codes_of` asks, with its arguments, which is done once."""
    _registered.append(makes)


def codes_of(
    model: Suggester | None, hierarchy: Hierarchy, home: Path, *, bundle_dir: Path | None = None
) -> SuggestsCodes:
    """Return what was registered for a vocabulary; raises what that does."""
    return _registered[0](model, hierarchy, home, bundle_dir=bundle_dir)
