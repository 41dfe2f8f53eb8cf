"""A suggester and a back-end of one's own: a class, a line in the registry, and it is served."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import BundleError
from core.model.bundle.bundle import Bundle, rewrite_checksums
from core.model.number_format import Precision, Reason
from core.suggest import registry
from core.suggest.backends.protocol import Backend, Logits, Progress, Windows, WindowTerms
from core.suggest.branches import LabelScores
from core.suggest.calibration import Calibration
from core.suggest.ensemble import MeanEnsemble
from core.suggest.evidence.explanation import Explained
from core.suggest.evidence.spans import DocumentWords
from core.suggest.guided import GuidedSuggester
from core.suggest.label_suggester import BundleFacts, LabelSuggester
from core.suggest.linear import LinearSuggester
from core.suggest.opening import load_suggester
from core.suggest.protocol import Computing, find_part, parts
from core.suggest.windows import ReadDocument
from tests.support.models.tiny_bundle import write_tiny_bundle

FISH = Document.from_text("1", "Regulation on the fish quota", "fishing bay " * 60)


class EvenSuggester(LabelSuggester):
    """Finds every concept as probable as any other."""

    def __init__(self, facts: BundleFacts, calibration: Calibration) -> None:
        n_levels = len(calibration.levels)
        super().__init__(facts, ("even",), n_levels=n_levels, objective=calibration.objective)

    @classmethod
    def from_bundle(
        cls,
        bundle: Bundle,
        facts: BundleFacts,
        calibration: Calibration,
        make_backend: Callable[[], Backend],
    ) -> EvenSuggester:
        return cls(facts, calibration)

    def read(self, document: Document) -> ReadDocument:
        return ReadDocument(document, 1, 1, len(document.text), 2)

    def score(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[LabelScores]:
        for _ in documents:
            yield self._scores(np.full(len(self.assigned_columns), 0.25, dtype=np.float32), None)

    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        return Explained([], next(self.score([document])))


class FirstConceptBackend:
    """Runs no model: the first concept is the only one that it finds."""

    device = "paper"
    number_format = Precision("fp32", Reason.NAMED)

    def __init__(self, bundle: Bundle, device: str | None) -> None:
        self.n_concepts = int(np.sum(bundle.label_space.assignable))

    def logits(
        self,
        windows: Windows,
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Logits:
        assigned = np.full((len(windows), self.n_concepts), -9.0, dtype=np.float32)
        assigned[:, 0] = 9.0
        return Logits(None, assigned)

    def terms(self, windows: Windows, empty: Sequence[int]) -> WindowTerms:
        raise AssertionError("nobody asks this back-end for evidence")


@pytest.mark.parametrize("name", ["fp32", "bf16"])
def test_a_suggester_names_the_precision_in_which_it_computes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_PRECISION", name)
    write_tiny_bundle(tmp_path)
    computing = find_part(load_suggester(tmp_path), Computing)  # type: ignore[type-abstract]
    assert computing is not None
    assert computing.number_format == Precision(name, Reason.NAMED)


@pytest.mark.parametrize(("backend", "name"), [("fastest", "int8"), ("torch", "bf16")])
def test_the_precision_of_an_encoder_is_that_of_the_backend(
    backend: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_BACKEND", backend)
    monkeypatch.setenv("STRATA_PRECISION", "int8")
    monkeypatch.setattr(registry, "best_device", lambda: "cpu")
    monkeypatch.setattr(
        registry, "serving_precision", lambda _: Precision("bf16", Reason.BF16_UNITS)
    )
    assert registry.encoder_precision().name == name


def with_suggesters(directory: Path, *names: str) -> Path:
    """The tiny bundle, with these suggesters in its manifest."""
    write_tiny_bundle(directory, linear=True)
    manifest = json.loads((directory / "bundle.json").read_text())
    manifest["suggesters"] = list(names)
    (directory / "bundle.json").write_text(json.dumps(manifest))
    rewrite_checksums(directory)
    return directory


def test_a_registered_suggester_is_loaded_by_its_name_in_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.SUGGESTERS, "even", EvenSuggester.from_bundle)
    suggester = load_suggester(with_suggesters(tmp_path, "even"))
    suggestions = suggester.suggest(FISH, limit=3).suggestions
    assert [(found.probability, found.source) for found in suggestions] == [(0.25, "even")] * 3


def test_it_takes_its_place_in_an_ensemble_that_knows_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.SUGGESTERS, "even", EvenSuggester.from_bundle)
    suggester = load_suggester(with_suggesters(tmp_path, "guided", "even"))
    assert isinstance(suggester, MeanEnsemble)
    guided = suggester.members[0]
    together = next(suggester.probabilities_of([FISH])).assigned[suggester.assigned_columns]
    alone = next(guided.probabilities_of([FISH])).assigned[suggester.assigned_columns]
    np.testing.assert_allclose(together, 0.4 * alone + 0.6 * 0.25, atol=1e-6)
    sources = {found.source for found in suggester.suggest(FISH, limit=99).suggestions}
    assert sources == {"guided", "even"}


def test_a_registered_backend_computes_what_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.BACKENDS, "paper", FirstConceptBackend)
    bundle = with_suggesters(tmp_path, "guided")
    suggester = load_suggester(bundle, backend="paper")
    assert suggester.device == "paper"
    best = suggester.suggest(FISH).suggestions[0]
    first = suggester.label_space.concept_ids[int(suggester.assigned_columns[0])]
    assert (best.concept_id, best.source) == (first, "guided")
    assert best.probability > 0.99


def test_a_suggester_that_is_not_registered_is_named(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="“even”, which this version does not have"):
        load_suggester(with_suggesters(tmp_path, "even"))


def test_the_parts_of_a_suggester_are_found_by_what_they_are(tmp_path: Path) -> None:
    suggester = load_suggester(with_suggesters(tmp_path, "guided", "linear"))
    assert [type(part) for part in parts(suggester)] == [
        MeanEnsemble,
        GuidedSuggester,
        LinearSuggester,
    ]
    assert find_part(suggester, LinearSuggester) is suggester.members[1]  # type: ignore[attr-defined]
    assert find_part(suggester, EvenSuggester) is None
