"""The codes of a document with their probabilities; those of ICD-10-CM in ICD-9-CM as well.

Names, rules and lists are of ICD-10-CM. What a note says in its codes, the published mappings say in
those of ICD-9-CM; of 590 notes, names of ICD-9-CM by themselves found an eighth of that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from core.clinical.assertions import is_denying
from core.clinical.codes.former import icd9_codes
from core.clinical.conventions import ICD9CM
from core.clinical.notation import DIAGNOSIS, with_decimal_point
from core.clinical.ranking.features import FEATURES, CodeRows
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy


@dataclass(frozen=True, slots=True)
class RankedCodes:
    """The codes of a document with their probabilities, the best first.

    Attributes:
        denied: by code how the note denies it, or that it is over.
        parts: by combination code the codes of the conditions that it says.
        places: by code that a rule for stays finds, where the words stand that say it.
        seconds: that the ranking took, where that is not counted elsewhere.
    """

    chances: Mapping[str, float]
    candidates: CodeRows
    denied: Mapping[str, str]
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    places: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    seconds: float = 0.0

    def said_at(self) -> dict[str, tuple[Span, ...]]:
        """Return by code where the document says it, by a name or by a rule, without denying it."""
        by_code = dict(self.places)
        for code, named in self.candidates.named.items():
            spans = (m.span for m in named.mentions if not is_denying(m.assertion))
            by_code[code] = (*spans, *by_code.get(code, ()))
        for code, parts in self.parts.items():
            by_code[code] = tuple(span for part in parts for span in by_code.get(part, ()))
        return by_code


def in_icd9(ranking: RankedCodes, hierarchy: Hierarchy) -> RankedCodes:
    """Return codes of ICD-10-CM as those of ICD-9-CM, as far as a hierarchy has them.

    A code that several lead to is as probable as the best of them, and denied where all of them are.
    """
    said_at = ranking.said_at()
    chances: dict[str, float] = {}
    denied: dict[str, str] = {}
    affirmed: set[str] = set()
    places: dict[str, list[Span]] = defaultdict(list)
    for code, chance in ranking.chances.items():
        for older in older_codes(code, hierarchy):
            chances[older] = max(chance, chances.get(older, 0.0))
            places[older] += said_at.get(code, ())
            if code in ranking.denied:
                denied.setdefault(older, ranking.denied[code])
            else:
                affirmed.add(older)
    best = sorted(chances.items(), key=lambda item: (-item[1], item[0]))
    return RankedCodes(
        dict(best),
        CodeRows((), np.zeros((0, len(FEATURES)), np.float32), {}, {}),
        {code: status for code, status in denied.items() if code not in affirmed},
        places={code: tuple(dict.fromkeys(spans)) for code, spans in places.items() if spans},
    )


def older_codes(code: str, hierarchy: Collection[str]) -> Iterator[str]:
    """Yield the codes of ICD-9-CM, of those that there are, which say a code of ICD-10-CM."""
    for older in icd9_codes().get(code.replace(".", ""), ()):
        concept_id = with_decimal_point(older, ICD9CM, kind=DIAGNOSIS)
        if concept_id in hierarchy:
            yield concept_id
