"""A model whose suggestions are corrected by what was decided since it was trained.

The model itself stays as it is, in whatever process it computes. Its best suggestions, concepts
whose label stands in the document, and those of similar finished documents are ranked by weights
that were learned on acts in the order of their dates; they know no concept, so that they serve any
vocabulary. Where nothing was decided, all is as the model says.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import tee
from typing import NamedTuple

import numpy as np

from core.documents.document import Document, fingerprint
from core.paths import PROJECT_ROOT
from core.suggest.backends.protocol import Progress
from core.suggest.calibration import Platt, logits
from core.suggest.cold_start.suggester import LEXICAL, NEIGHBOURS, ColdStartSuggester
from core.suggest.cold_start.suggester import VERSION as COLD_START_VERSION
from core.suggest.correction.bundled import BundledDecisions
from core.suggest.correction.explanation import Corrected, CorrectedExplanation
from core.suggest.correction.probabilities import calibrated_here, even_mean, mixed
from core.suggest.protocol import Explainer, FinishedDocument, Suggester
from core.suggest.ranking.candidates import UNRANKED, Candidates, Suggested, grounds_of
from core.suggest.ranking.decided import Array, Experience
from core.suggest.ranking.features import COLD_START_FEATURES, CORRECTION_FEATURES
from core.suggest.ranking.ranker import BlendedRanker, BlendedScorer, Ranker, Scorer
from core.suggest.suggestions import Prediction, Suggestion, new_suggestion, rescored
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.full_titles import full_title

WEIGHTS = PROJECT_ROOT / "assets" / "correction"
UNLEARNED = math.log(0.05 / 0.95)
"""A concept to which the model gives at most these log-odds may be newer than the model: from the
first document that has it, it goes by the correction and by its label, not by the model."""
N_KEPT = 100
"""Of the model's own probabilities, the highest are kept with a prediction."""
DIGITS = 5
N_READ = 20
"""Documents whose reading is remembered, since those that were just read are explained next."""


class _Ranked(NamedTuple):
    """A document's candidates in the light of what was decided, and what ranks them.

    Attributes:
        ids: of the candidates.
        chances: their probabilities; without those that stay as the model says.
        scorer: None where nothing was decided.
    """

    ids: list[str]
    found: Candidates
    known: Experience
    chances: dict[str, float]
    scorer: Scorer | BlendedScorer | None

    def named(self) -> frozenset[str]:
        """Return those whose label stands in the document."""
        stands = (self.found.column("standing") > 0).tolist()
        return frozenset(i for i, is_named in zip(self.ids, stands, strict=True) if is_named)


@lru_cache(maxsize=1)
def default_corrector() -> Ranker:
    """Return the weights that were learned on acts.

    Raises:
        BundleError: their files are damaged.
    """
    return Ranker.load(WEIGHTS, CORRECTION_FEATURES)


class CorrectedSuggester:
    """Suggests what a model does, corrected by what was decided in finished documents.

    What needs no model is made when the first document is learned, as that takes a moment.

    Args:
        without_model: makes what knows labels and finished documents.
        new: concepts of the vocabulary that the model does not know.
        bundled: documents that came with the model, with weights in the place of the default ones.
        calibrates: whether probabilities are made to fit the finished documents; these must have
            been read without a look for labels.
        denied: returns concepts that a document says do not hold; they are never raised.
    """

    def __init__(
        self,
        model: Suggester,
        hierarchy: Hierarchy,
        without_model: Callable[[], ColdStartSuggester],
        *,
        new: Collection[str] = (),
        bundled: BundledDecisions | None = None,
        calibrates: bool = False,
        denied: Callable[[Document], Collection[str]] = lambda _: (),
    ) -> None:
        self.model, self.hierarchy, self.new = model, hierarchy, frozenset(new)
        self.members, self.name = (model,), model.name
        newer = f"+{COLD_START_VERSION}" if self.new else ""
        self.bundle_hash = model.bundle_hash + newer
        self._make, self._bundled = without_model, bundled
        self._local: ColdStartSuggester | None = None
        self._calibrates, self._denied = calibrates, denied
        self._platt: tuple[Experience, Platt] | None = None
        self._making, self._calibrating = threading.Lock(), threading.Lock()
        self._read: OrderedDict[str, Prediction] = OrderedDict()

    # ------------------------------------------------------------------ learning

    @property
    def n_updates(self) -> int:
        """How often it has learned or forgotten something."""
        return self._local.n_updates if self._local else 0

    def learned(self) -> Mapping[str, int]:
        """Return the documents that it has learned from, with the version of their decisions."""
        return self._local.learned() if self._local else {}

    def learn(self, documents: Sequence[FinishedDocument]) -> None:
        """Learn from finished documents, also in the place of what was learned from them before."""
        self.local().learn(documents)

    def forget(self, document_ids: Iterable[str]) -> None:
        """Suggest as if these documents had never been finished."""
        if self._local:
            self._local.forget(document_ids)

    def local(self) -> ColdStartSuggester:
        """Return what suggests without the model, and knows what was decided."""
        with self._making:
            if self._local is None:
                local = self._make()
                if self._bundled is not None:
                    local.begin_with(self._bundled.of(local.position), self._bundled.key)
                self._local = local
            return self._local

    # ------------------------------------------------------------------ suggesting

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Progress | None = None,
    ) -> Prediction:
        """Return the most probable concepts of one document, best first."""
        prediction = self.model.suggest(
            document, limit=max(limit, UNRANKED), on_progress=on_progress
        )
        self._remember(fingerprint(document), prediction)
        return self.corrected(document, prediction, limit=limit, threshold=threshold)

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Yield predictions in the order of the documents."""
        read, again = tee(documents)
        predictions = self.model.suggest_batch(
            read, limit=max(limit, UNRANKED), batch_size=batch_size
        )
        for document, prediction in zip(again, predictions, strict=True):
            yield self.corrected(document, prediction, limit=limit, threshold=threshold)

    def corrected(
        self, document: Document, prediction: Prediction, *, limit: int, threshold: float
    ) -> Prediction:
        """Return what the model has found, corrected by what was decided."""
        started = time.perf_counter()
        alone = {row.concept_id: row.probability for row in prediction.suggestions}
        ranked_anew = self._ranked(document, alone)
        chances = alone | (ranked_anew.chances if ranked_anew else {})
        named = ranked_anew.named() if ranked_anew else frozenset()

        def added(concept_id: str) -> Suggestion:
            title = full_title(concept_id, self.hierarchy)
            source = LEXICAL if concept_id in named else NEIGHBOURS
            return new_suggestion(self.hierarchy[concept_id], title, source)

        corrected = rescored(
            _without_branches(prediction) if self._calibrates else prediction,
            chances,
            self.hierarchy,
            limit=limit,
            threshold=threshold,
            added=added,
        )
        highest = sorted(alone.items(), key=lambda item: -item[1])[:N_KEPT]
        return replace(
            corrected,
            bundle_hash=self.bundle_hash,
            model_probability={i: round(chance, DIGITS) for i, chance in highest},
            seconds=prediction.seconds + time.perf_counter() - started,
        )

    def explain(self, document: Document) -> CorrectedExplanation:
        """Read a document for explanations by the model, its labels and finished documents."""
        local = self._learned_or_new()
        return CorrectedExplanation(
            document,
            self.chances,
            self.explained,
            self.model.explain(document) if isinstance(self.model, Explainer) else None,
            local.explain(document) if local else None,
        )

    def chances(self, document: Document) -> Mapping[str, float]:
        """Return the model's own probabilities, from its cache where it has just read the document."""
        key = fingerprint(document)
        chances = self._read.get(key)
        if chances is None:
            chances = self.model.suggest(document, limit=UNRANKED)
            self._remember(key, chances)
        return {row.concept_id: row.probability for row in chances.suggestions}

    def explained(self, document: Document, chances: Mapping[str, float]) -> Corrected:
        """Correct what the model gives, and say what finished documents have to do with it."""
        ranked = self._ranked(document, chances)
        local = self._local
        if ranked is None or local is None:
            return Corrected(chances, {})
        scorer, found = ranked.scorer, ranked.found
        added = scorer.contributions(found.rows) if scorer is not None else None
        similar = local.candidates.similar(document, ranked.known)
        grounds = grounds_of(ranked.known, similar, found, added)(found.positions)
        by_id = dict(zip(ranked.ids, grounds, strict=True))
        return Corrected({**chances, **ranked.chances}, by_id)

    # ------------------------------------------------------------------ correcting

    def _corrector(self) -> Ranker | BlendedRanker:
        return self._bundled.corrector if self._bundled is not None else default_corrector()

    def _learned_or_new(self) -> ColdStartSuggester | None:
        """What takes part beside the model, if anything does."""
        if self.new or self._bundled is not None:
            return self.local()
        return self._local if self._local and self._local.learned() else None

    def _ranked(self, document: Document, chances: Mapping[str, float]) -> _Ranked | None:
        """Rank a document's candidates; None where the model stands alone.

        Args:
            chances: those of the model.
        """
        local = self._learned_or_new()
        if local is None:
            return None
        experience = local.experience()
        suggested = _suggested(chances, local.position)
        candidates = local.candidates(document, experience, suggested)
        ids = [local.concept_ids[position] for position in candidates.positions.tolist()]
        has_text = bool(document.text.strip())
        scorer = self._corrector().scorer(has_text=has_text) if experience.n_documents else None
        is_new = np.array([i in self.new for i in ids], dtype=bool)
        scored = np.zeros(len(ids), dtype=np.float32)
        if scorer is not None:
            scored = self._corrected(local, candidates, experience, scorer, has_text=has_text)
        if is_new.any():
            of_labels = local.ranker.scorer(has_text=has_text)
            scored[is_new] = of_labels(candidates.rows[is_new, : len(COLD_START_FEATURES)])
        there = {i: p for i, p in zip(ids, scored.tolist(), strict=True) if p > 0}
        for concept_id in self._denied(document) if there else ():
            if concept_id in there:
                there[concept_id] = min(there[concept_id], chances.get(concept_id, 0.0))
        return _Ranked(ids, candidates, experience, there, scorer)

    def _corrected(
        self,
        local: ColdStartSuggester,
        candidates: Candidates,
        experience: Experience,
        scorer: Scorer | BlendedScorer,
        *,
        has_text: bool,
    ) -> Array:
        """Return the corrected probabilities of candidates, (n_rows,)."""
        rows = candidates.rows
        corrected = scorer(rows)
        chances = mixed(candidates.column("model"), corrected, experience.n_documents)
        if self._calibrates:
            return self._calibration(local, experience)(logits(chances))
        unlearned = (candidates.column("model") <= UNLEARNED) & (
            experience.n_assigned[candidates.positions] > 0
        )
        if unlearned.any():
            of_labels = local.ranker.scorer(has_text=has_text)
            without_model = of_labels(rows[unlearned, : len(COLD_START_FEATURES)])
            chances[unlearned] = even_mean(corrected[unlearned], without_model)
        return chances

    def _calibration(self, local: ColdStartSuggester, experience: Experience) -> Platt:
        """Return what makes probabilities fit these documents; worked out once for them."""
        with self._calibrating:
            if self._platt is None or self._platt[0] is not experience:
                scorer = self._corrector().scorer(has_text=True)

                def log_odds(here: Candidates, n_documents: int) -> Array:
                    return logits(mixed(here.column("model"), scorer(here.rows), n_documents))

                self._platt = experience, calibrated_here(local.candidates, experience, log_odds)
            return self._platt[1]

    def _remember(self, key: str, prediction: Prediction) -> None:
        with self._making:
            self._read[key] = prediction
            while len(self._read) > N_READ:
                self._read.popitem(last=False)


def _without_branches(prediction: Prediction) -> Prediction:
    """Return a prediction as if it said nothing of branches: those of codes go by their codes."""
    rows = (replace(row, branch_probability=0.0) for row in prediction.suggestions)
    return replace(prediction, suggestions=tuple(rows), branch_probability={})


def _suggested(chances: Mapping[str, float], position: Mapping[str, int]) -> Suggested:
    order = sorted((i for i in chances if i in position), key=lambda i: -chances[i])
    return Suggested(
        np.array([position[i] for i in order], dtype=np.int32),
        np.array([chances[i] for i in order], dtype=np.float32),
    )
