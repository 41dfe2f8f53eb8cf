"""The codes of a document with their probabilities; those of ICD-10-CM in ICD-9-CM as well.

Names, rules and lists are of ICD-10-CM. What a note says in its codes, the published mappings say in
those of ICD-9-CM; names of that system by themselves found an eighth of the codes of notes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from core.clinical.assertions import is_denying
from core.clinical.codes.former import icd9_codes
from core.clinical.names.index import PlainCodes
from core.clinical.notation import DIAGNOSIS, ICD9CM, with_decimal_point
from core.clinical.ranking.features import FEATURES, CodeRows
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy

SEPSIS, SEVERE_SEPSIS = "995.91", "995.92"
"""Which exclude each other; of ICD-10-CM the code of a germ says sepsis beside severe sepsis."""

DIABETES = "250."
"""Of which the fourth digit 0 says that there is no complication."""
HYPERTENSION, OF_ORGANS = "401.", ("402.", "403.", "404.")
"""Which exclude each other; ICD-10-CM has a crisis (I16) beside either, which was no code of its own."""
PROBABLE = 0.5


@dataclass(frozen=True, slots=True)
class RankedCodes:
    """The codes of a document with their probabilities, the best first.

    Attributes:
        denied: by code how the note denies it, or that it is over.
        parts: by combination code the codes of the conditions that it says.
        places: by code that a rule for stays finds, where the words stand that say it; of one that
            is denied, those that are denied.
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
        by_code = {i: spans for i, spans in self.places.items() if i not in self.denied}
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
    denied_at: dict[str, list[Span]] = defaultdict(list)
    for code, chance in ranking.chances.items():
        read = _unpresumed(_without_bronchitis(code, ranking.chances), ranking)
        for older in older_codes(read, hierarchy):
            chances[older] = max(chance, chances.get(older, 0.0))
            places[older] += said_at.get(read) or said_at.get(code, ())
            if code in ranking.denied:
                denied.setdefault(older, ranking.denied[code])
                named = ranking.candidates.named.get(code)
                denied_at[older] += (m.span for m in named.mentions) if named else ()
            else:
                affirmed.add(older)
    if SEVERE_SEPSIS in affirmed:
        chances.pop(SEPSIS, None)
    if any(i.startswith(DIABETES) and i[4] != "0" and chances[i] >= PROBABLE for i in affirmed):
        chances = {i: p for i, p in chances.items() if not i.startswith(f"{DIABETES}0")}
    if any(i.startswith(OF_ORGANS) and chances[i] >= PROBABLE for i in affirmed):
        chances = {i: p for i, p in chances.items() if not i.startswith(HYPERTENSION)}
    places |= {code: spans for code, spans in denied_at.items() if code not in affirmed}
    # Of those that say one condition together, the first stays before the other.
    best = sorted(chances.items(), key=lambda item: -item[1])
    return RankedCodes(
        dict(best),
        CodeRows((), np.zeros((0, len(FEATURES)), np.float32), {}, {}),
        {code: status for code, status in denied.items() if code not in affirmed},
        places={code: tuple(dict.fromkeys(spans)) for code, spans in places.items() if spans},
    )


def older_codes(code: str, hierarchy: Hierarchy) -> Iterator[str]:
    """Yield the codes of ICD-9-CM, of those that there are, which say a code of ICD-10-CM.

    In an edition that does not have one yet, that is the code it was divided from, or the one of its
    category that says no more.
    """
    for older in icd9_codes().get(code.replace(".", ""), ()):
        concept_id = with_decimal_point(older, ICD9CM, kind=DIAGNOSIS)
        category = concept_id[:-1].rstrip(".")
        if concept_id in hierarchy:
            yield concept_id
        elif category in hierarchy and (plain := PlainCodes(hierarchy).below(category)):
            yield plain


def _without_bronchitis(code: str, others: Collection[str]) -> str:
    """Return COPD for COPD with pneumonia, which ICD-9-CM says in two codes: 491.22 is of bronchitis."""
    if code != "J44.0" or any(other.startswith("J20") for other in others):
        return code
    return "J44.9" if any("J12" <= other < "J19" for other in others) else code


def _unpresumed(code: str, ranking: RankedCodes) -> str:
    """Return what ICD-9-CM makes of a combination that only ICD-10-CM presumes.

    There, neither a heart failure is due to hypertension nor a disease to diabetes unless the note
    says so; of a chronic kidney disease and hypertension it is presumed as well.
    Source: ICD-9-CM official guidelines 2014, I.C.7.a.2 and I.C.3.a; ICD-10-CM guidelines, I.A.15.
    """
    first, *others = ranking.parts.get(code, (code,))
    if first == code:
        return code
    if code.startswith("I11"):
        return first
    if code.startswith("I13") and not first.startswith("I11"):
        return "I12.0" if code in ("I13.11", "I13.2") else "I12.9"
    stand_alone = all(ranking.chances.get(other, 0.0) >= PROBABLE for other in others)
    return first if "E08" <= code[:3] <= "E13" and stand_alone else code
