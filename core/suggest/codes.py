"""What suggests codes by their names in a note: `core/__init__.py` registers it here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # this is imported with the package
    from core.suggest.protocol import Suggester, SuggestsCodes
    from core.vocabulary.concepts import Hierarchy


class MakesCodes(Protocol):
    """See `core.clinical.suggester.codes_of`."""

    def __call__(
        self,
        model: Suggester | None,
        hierarchy: Hierarchy,
        home: Path,
        *,
        bundle_dir: Path | None = None,
    ) -> SuggestsCodes:
        """Return what ranks the codes that a text names, and those of a model."""


_registered: list[MakesCodes] = []


def register(makes: MakesCodes) -> None:
    """Make known what suggests codes, which is done once."""
    _registered.append(makes)


def codes_of(
    model: Suggester | None, hierarchy: Hierarchy, home: Path, *, bundle_dir: Path | None = None
) -> SuggestsCodes:
    """Return what was registered for a vocabulary; raises what that does."""
    return _registered[0](model, hierarchy, home, bundle_dir=bundle_dir)
