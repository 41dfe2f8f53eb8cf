"""What is known of each code that may belong to a note, as numbers that a ranker weighs.

Candidates are the codes whose names stand in the note, and those that a model finds best. None of
the features says which code it is, so that one ranker serves codes that no training text has.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.clinical.asserting.cues import HISTORICAL, HYPOTHETICAL
from core.clinical.kinds import (
    COMPLAINT,
    DIAGNOSES,
    EXAMINATION,
    HISTORY,
    HOSPITAL_COURSE,
    PAST_HISTORY,
    RESULTS,
    REVIEW,
)
from core.clinical.names.clinical_words import SMALL_WORDS, keys_of
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import Mention, Named, worth
from core.clinical.notation import SYMPTOMS, category_of
from core.clinical.ranking.known import CodeCounts
from core.clinical.ranking.phrases import Spoken, phrases_of
from core.clinical.sections import sections_of_parts
from core.documents.document import Document
from core.suggest.calibration import logits
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy

Array = npt.NDArray[np.float32]

N_OF_MODEL = 60
"""Codes of a model that take part, the most probable first."""
N_BY_PHRASES = 60
"""Codes that take part because phrases of the text speak for them, of those that a model suggests."""
NONE = -12.0
"""Log-odds of what a model does not suggest."""
SMOOTHING = 4.0
"""Documents that a name's kind counts for, beside those that were counted."""

FEATURES = (
    # what a model says
    "has_model", "is_learned", "model", "model_rank", "category", "chapter", "expected",
    # the name in the text
    "is_named", "worth", "kind", "is_category_name", "n_words", "gap", "covers_label", "n_left_out",
    "n_mentions", "n_affirmed", "is_historical", "is_uncertain", "is_over", "is_had", "has_before", "has_after",
    "position", "n_rivals", "is_inside",
    # where it stands
    "in_diagnoses", "in_course", "in_past", "in_complaint", "in_findings",
    # what training texts say
    "right_there", "n_named_there", "n_given_there", "phrase", "second_phrase", "n_phrases",
    # the code and its neighbours
    "is_unspecified", "is_symptom", "is_status", "is_cause", "depth", "n_in_category",
    "rank_in_category", "has_specific",
    # the document
    "n_characters", "n_names",
)  # fmt: skip


_UNSPECIFIED = re.compile(r"\bunspecified\b|\bNOS\b|\bother\b", re.IGNORECASE)
_STATUS = re.compile(r"factors influencing health", re.IGNORECASE)
_CAUSES = re.compile(r"external causes", re.IGNORECASE)
_BEFORE = re.compile(r"([\w'’-]{1,40})[ \t]{0,40}$")
_AFTER = re.compile(r"[ \t]{0,40}([\w'’-]{1,40})")
_LOOK = 40
"""Characters beside a mention in which the next word is looked for."""
_PLACES = {
    "in_diagnoses": {DIAGNOSES},
    "in_course": {HOSPITAL_COURSE},
    "in_past": {PAST_HISTORY},
    "in_complaint": {COMPLAINT, HISTORY},
    "in_findings": {EXAMINATION, RESULTS, REVIEW},
}


@dataclass(frozen=True, slots=True)
class CodeRows:
    """The candidates of one document.

    Attributes:
        ids: of the codes.
        rows: features, (n_candidates, n_features).
        alone: what the model gives, without names; only of what it suggests.
        named: by code.
    """

    ids: tuple[str, ...]
    rows: Array
    alone: Mapping[str, float]
    named: Mapping[str, Named]

    def column(self, feature: str) -> Array:
        """Return one feature of all candidates, (n_candidates,)."""
        return self.rows[:, FEATURES.index(feature)]

    def having(self, feature: str) -> set[str]:
        """Return the candidates that are what a feature says, such as "is_symptom"."""
        return {i for i, is_one in zip(self.ids, self.column(feature), strict=True) if is_one}


class CodeFeatures:
    """Finds candidates of documents, and describes them.

    Args:
        counts: what training texts say.
    """

    def __init__(self, matcher: LexicalMatcher, counts: CodeCounts) -> None:
        self.matcher, self.counts = matcher, counts
        self._of_code: dict[str, dict[str, float]] = {}
        self._label_keys: dict[str, frozenset[str]] = {}

    def __call__(
        self, document: Document, named: Sequence[Named], prediction: Prediction | None
    ) -> CodeRows:
        """Describe a document's candidates.

        Args:
            named: codes whose names stand in it.
            prediction: what the model suggests; None where there is none.
        """
        spoken = (
            self.counts.phrases(phrases_of(document, named)) if self.counts.phrases.codes else {}
        )
        alone = _taking_part(prediction, spoken) if prediction else {}
        by_code = self._with_former({code.concept_id: code for code in named}, alone)
        ids = tuple(dict.fromkeys([*alone, *by_code]))
        if not ids:
            return CodeRows((), np.empty((0, len(FEATURES)), np.float32), {}, {})
        place = _Placed(document)
        crowd = _Crowd(named)
        shared = {
            "has_model": float(prediction is not None),
            "expected": float(np.log(sum(alone.values()) + 1e-3)) if prediction else 0.0,
            "n_characters": float(np.log1p(len(document.text))),
            "n_names": float(np.log1p(len(named))),
        }
        ranks = {concept_id: n for n, concept_id in enumerate(alone)}
        values = []
        for concept_id in ids:
            row = dict(shared)
            row |= self._by_model(concept_id, alone, ranks, prediction)
            row |= self._of_the_code(concept_id)
            code = by_code.get(concept_id)
            row |= self._by_name(code, place, crowd) if code else {}
            row |= self._by_training(concept_id, row.get("worth", NONE))
            row |= _by_phrases(spoken.get(concept_id))
            values.append(row)
        self._beside_each_other(ids, values, by_code)
        rows = np.array([[row.get(name, 0.0) for name in FEATURES] for row in values], np.float32)
        return CodeRows(ids, rows, alone, by_code)

    def _with_former(self, named: dict[str, Named], alone: Mapping[str, float]) -> dict[str, Named]:
        """Add the names of today's codes to the category that they were, where a model learned it.

        A category that was a code in the edition of its training texts has no names of its own.
        """
        hierarchy = self.matcher.hierarchy
        former = [i for i in alone if i in hierarchy and not hierarchy[i].assignable]
        by_code = dict(named)
        for concept_id in former:
            below = [code for i, code in named.items() if i.startswith(concept_id)]
            if below:
                by_code[concept_id] = max(below, key=lambda code: code.probability)
        return by_code

    def _by_model(
        self,
        concept_id: str,
        alone: Mapping[str, float],
        ranks: Mapping[str, int],
        prediction: Prediction | None,
    ) -> dict[str, float]:
        if prediction is None:
            last = float(np.log1p(N_OF_MODEL))
            return {"model": NONE, "model_rank": last, "category": NONE, "chapter": NONE}
        above = _above(self.matcher.hierarchy, concept_id)
        branches = [prediction.branch_probability.get(i, 0.0) for i in above]
        return {
            "is_learned": float(concept_id in self.counts.learned or concept_id in alone),
            "model": _logit(alone.get(concept_id, 0.0)),
            "model_rank": float(np.log1p(ranks.get(concept_id, N_OF_MODEL))),
            "category": _logit(branches[-1] if branches else 0.0),
            "chapter": _logit(branches[0] if branches else 0.0),
        }

    def _by_name(self, named: Named, place: _Placed, crowd: _Crowd) -> dict[str, float]:
        best = named.mentions[0]
        match = best.match
        plain = worth(Mention(match, best.span, best.written, None))
        label = self._keys(named.concept_id)
        affirmed = [mention for mention in named.mentions if mention.assertion is None]
        sides = [place.sides(mention) for mention in named.mentions]
        kinds = {kind for mention in named.mentions for kind in place.kinds(mention)}
        return {
            "is_named": 1.0,
            "worth": _logit(plain),
            "kind": float(match.kind),
            "is_category_name": float(match.lowered),
            "n_words": float(match.n_words),
            "gap": float(match.gap),
            "covers_label": match.n_words / max(len(label), 1),
            "n_left_out": float(max(len(label) - match.n_words, 0)),
            "n_mentions": float(np.log1p(len(named.mentions))),
            "n_affirmed": float(np.log1p(len(affirmed))),
            "is_historical": float(not affirmed and _is(best, HISTORICAL)),
            "is_uncertain": float(not affirmed and _is(best, HYPOTHETICAL)),
            "is_over": float(best.is_over),
            "is_had": float(best.is_had),
            "has_before": float(min(before for before, _ in sides)),
            "has_after": float(min(after for _, after in sides)),
            "position": min(place.share(mention) for mention in named.mentions),
            "n_rivals": float(crowd.rivals(best) - 1),
            "is_inside": float(all(crowd.is_inside(mention) for mention in named.mentions)),
            **{name: float(bool(kinds & of)) for name, of in _PLACES.items()},
        }

    def _by_training(self, concept_id: str, prior: float) -> dict[str, float]:
        counts = self.counts
        n, right = counts.named.get(concept_id, 0), counts.right.get(concept_id, 0)
        expected = 1 / (1 + np.exp(-prior))
        share = (right + SMOOTHING * expected) / (n + SMOOTHING)
        return {
            "right_there": _logit(float(share)),
            "n_named_there": float(np.log1p(n)),
            "n_given_there": float(np.log1p(counts.given.get(concept_id, 0))),
        }

    def _of_the_code(self, concept_id: str) -> dict[str, float]:
        row = self._of_code.get(concept_id)
        if row is None:
            row = self._of_code[concept_id] = self._described(concept_id)
        return row

    def _described(self, concept_id: str) -> dict[str, float]:
        hierarchy = self.matcher.hierarchy
        if concept_id not in hierarchy:
            return {"depth": float(len(concept_id))}
        labels = [hierarchy[i].label() for i in hierarchy.path(concept_id)]
        label = labels[-1]
        return {
            "is_unspecified": float(bool(_UNSPECIFIED.search(label))),
            "is_symptom": float(any(map(SYMPTOMS.search, labels[:-1]))),
            "is_status": float(any(map(_STATUS.search, labels[:-1]))),
            "is_cause": float(any(map(_CAUSES.search, labels[:-1]))),
            "depth": float(len(concept_id.replace(".", ""))),
        }

    def _beside_each_other(
        self,
        ids: Sequence[str],
        values: Sequence[dict[str, float]],
        named: Mapping[str, Named],
    ) -> None:
        """Add how a candidate stands among those of its category."""
        groups: dict[str, list[int]] = defaultdict(list)
        for n, concept_id in enumerate(ids):
            groups[category_of(concept_id)].append(n)
        for members in groups.values():
            order = sorted(members, key=lambda n: _strength(values[n]), reverse=True)
            specific = {ids[n] for n in members if not values[n].get("is_unspecified")}
            for rank, n in enumerate(order):
                others = specific & named.keys() - {ids[n]}
                values[n]["n_in_category"] = float(np.log1p(len(members)))
                values[n]["rank_in_category"] = float(np.log1p(rank))
                values[n]["has_specific"] = float(bool(others))

    def _keys(self, concept_id: str) -> frozenset[str]:
        keys = self._label_keys.get(concept_id)
        if keys is None:
            label = self.matcher.hierarchy[concept_id].label()
            keys = self._label_keys[concept_id] = frozenset(keys_of(label))
        return keys


class _Placed:
    """Where mentions stand in a document."""

    def __init__(self, document: Document) -> None:
        self._texts = {"title": document.title, "text": document.text}
        self._sections = [
            (section.body, section.end, section.kind)
            for section in sections_of_parts(part.text for part in document.parts)
        ]

    def sides(self, mention: Mention) -> tuple[bool, bool]:
        """Return whether words that count stand right before and behind a mention."""
        text, span = self._texts[mention.span.field], mention.span
        before = _BEFORE.search(text[max(span.start - _LOOK, 0) : span.start])
        after = _AFTER.match(text[span.end : span.end + _LOOK])
        return _counts(before), _counts(after)

    def share(self, mention: Mention) -> float:
        """Return how far into the text a mention stands, from 0 to 1."""
        if mention.span.field == "title":
            return 0.0
        return mention.span.start / max(len(self._texts["text"]), 1)

    def kinds(self, mention: Mention) -> set[str]:
        """Return the kinds of the sections that a mention stands in."""
        if mention.span.field == "title":
            return set()
        at = mention.span.start
        return {kind for start, end, kind in self._sections if start <= at < end}


class _Crowd:
    """Mentions by their places."""

    def __init__(self, named: Sequence[Named]) -> None:
        self._at: Counter[tuple[str, int, int]] = Counter()
        self._spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for code in named:
            for mention in code.mentions:
                span = mention.span
                self._at[span.field, span.start, span.end] += 1
                self._spans[span.field].append((span.start, span.end))

    def rivals(self, mention: Mention) -> int:
        """Return how many codes have a name in this very place."""
        span = mention.span
        return self._at[span.field, span.start, span.end]

    def is_inside(self, mention: Mention) -> bool:
        """Return whether a longer name of another code is around a mention."""
        span = mention.span
        return any(
            start <= span.start and span.end <= end and end - start > span.end - span.start
            for start, end in self._spans[span.field]
        )


def _taking_part(prediction: Prediction, spoken: Mapping[str, Spoken]) -> dict[str, float]:
    rows = prediction.suggestions
    first = {row.concept_id: row.probability for row in rows[:N_OF_MODEL]}
    others = [row for row in rows[N_OF_MODEL:] if row.concept_id in spoken]
    others.sort(key=lambda row: spoken[row.concept_id], reverse=True)
    return first | {row.concept_id: row.probability for row in others[:N_BY_PHRASES]}


def _by_phrases(spoken: Spoken | None) -> dict[str, float]:
    if spoken is None:
        return {"phrase": NONE, "second_phrase": NONE, "n_phrases": 0.0}
    return {
        "phrase": _logit(spoken.best),
        "second_phrase": _logit(spoken.second),
        "n_phrases": float(np.log1p(spoken.n_phrases)),
    }


def _above(hierarchy: Hierarchy, concept_id: str) -> Sequence[str]:
    return hierarchy.path(concept_id)[:-1] if concept_id in hierarchy else ()


def _strength(row: Mapping[str, float]) -> tuple[float, float]:
    by_name = row["right_there"] if row.get("is_named") else NONE
    return max(row.get("model", NONE), by_name), row.get("depth", 0.0)


def _is(mention: Mention, status: str) -> bool:
    return mention.assertion is not None and mention.assertion.status == status


def _counts(match: re.Match[str] | None) -> bool:
    return match is not None and match[1].casefold() not in SMALL_WORDS


def _logit(probability: float) -> float:
    return max(float(logits(np.array([probability], np.float32))[0]), NONE)
