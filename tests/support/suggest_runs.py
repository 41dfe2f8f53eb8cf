"""The command that suggests, with the fake model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from core.__main__ import PROGRAM, app
from core.batches import chosen
from core.commands.options import run_command
from core.documents.document import Document
from core.suggest.suggestions import Prediction, Suggestion


class FakePredictor:
    """Suggests the words of the title, and reads ahead as the real one does."""

    bundle_hash = "fake"

    def suggest_batch(
        self, documents: Iterable[Document], *, limit: int, threshold: float, batch_size: int = 4
    ) -> Iterator[Prediction]:
        waiting = iter(documents)
        while batch := list(islice(waiting, batch_size)):
            for document in batch:
                yield predicted(document.title.split(), limit, threshold)


def predicted(words: list[str], limit: int, threshold: float) -> Prediction:
    suggestions = [
        Suggestion(word, f"http://x/{word}", None, f"«{word}»", 1 / 3**rank, 0.9, rank)
        for rank, word in enumerate(words, start=1)
        if 1 / 3**rank >= threshold
    ]
    return Prediction(tuple(suggestions[:limit]), {}, 5, 5, 1, "hash", "1", 0.1)


def load_fake(bundle_dir: Path) -> FakePredictor:
    return FakePredictor()


def suggest_with(load: Callable[[Path], FakePredictor], *arguments: object) -> int:
    """Run the command where `load` makes the suggester of a bundle's folder."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chosen, "of_bundle", lambda bundle_dir, *, names: load(bundle_dir))
        return run_command(app, PROGRAM, ["suggest", *map(str, arguments)])
