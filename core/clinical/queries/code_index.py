"""The search box where ICD-10-CM is coded: what a query means comes before what it is like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.clinical.queries.phrases import (
    after_codes,
    drug_codes,
    fracture_codes,
    history_asked,
    history_codes,
    named_codes,
    spelled_query,
)
from core.clinical.queries.typed_codes import codes_meant, former_meant
from core.vocabulary.search.hits import Match, SearchHit, Why, hit_of
from core.vocabulary.search.label_rows import NO_LANGUAGE
from core.vocabulary.search.vocabulary_index import VocabularyIndex

STATUS = "Z"
_WEIGHT = re.compile(r"\bbmi (?:of |is )?\d\d(?:\.\d)?\b", re.IGNORECASE)
"""An index beside another word, as in "obesity BMI 42"; the codes of both are meant."""
FIRST_OF_HISTORY = 3  # hits for which a code of having had it is looked for


class CodeIndex(VocabularyIndex):
    """Search over codes of ICD-10-CM, as coders type them."""

    def search(
        self, query: str, *, language: str = "en", limit: int = 20, **how: Any
    ) -> list[SearchHit]:
        """Find codes: those that a query means by its figures or words, then as in any vocabulary."""
        whose, words = history_asked(query)
        hits = self._in_full(words, language=language, limit=limit, **how)
        if limit <= 0:
            return []
        meant = [
            hit_of(code, match, self._hierarchy, language)
            for code, match in self._meant(query, how.get("divisions", True))
        ]
        if whose:
            hits = self._with_history(whose, hits, language)
        each = {hit.concept_id: hit for hit in reversed([*meant, *hits])}
        return list(dict.fromkeys(each[hit.concept_id] for hit in (*meant, *hits)))[:limit]

    def _in_full(self, query: str, **how: Any) -> list[SearchHit]:
        """Find codes by a query with its short words in full, then by it as it was typed."""
        hits = self._found(query, **how)
        spelled = spelled_query(query)
        return [*self._found(spelled, **how), *hits] if spelled != query else hits

    def _found(self, query: str, **how: Any) -> list[SearchHit]:
        """Find codes as in any vocabulary; with a typing error, by the word that was meant."""
        hits = super().search(query, **how)
        weight = None if hits else _WEIGHT.search(query)
        if weight and weight.group() != query.strip():
            rest = f"{query[: weight.start()]} {query[weight.end() :]}"
            return [*super().search(weight.group(), **how), *super().search(rest, **how)]
        meant = hits[0].mended if hits and hits[0].why is Why.MENDED else None
        if meant is None or len(meant.split()) != len(query.split()):
            return hits
        again = super().search(meant, **how)
        return [replace(hit, why=Why.MENDED, mended=hit.mended or meant) for hit in again] or hits

    def _meant(self, query: str, divisions: bool) -> Iterator[tuple[str, Match]]:
        """Yield the codes that a query means, each with what it was found by."""
        former, went = former_meant(query, self._hierarchy)
        former_codes = [(code, f"ICD-9-CM {former}") for code in went]
        former_codes += [(code, code) for code in codes_meant(query, self._hierarchy)]
        former_codes += [(code, query) for code in self._by_words(query)]
        for code, by in former_codes:
            shown = code if divisions else self._assignable(code)
            if shown in self._hierarchy:
                yield shown, Match(by, NO_LANGUAGE, Why.EXACT)

    def _by_words(self, query: str) -> list[str]:
        """Return the codes that the words of a query mean, by a name, a drug or a fracture."""
        after = after_codes(*history_asked(query))
        return [*named_codes(query), *after, *drug_codes(query), *fracture_codes(query)]

    def _assignable(self, code: str) -> str:
        """Return a code, or of a category, the code that says no more; "" where there is none."""
        if code not in self._hierarchy or self._hierarchy[code].assignable:
            return code
        return self._plain(code) or ""

    def _with_history(
        self, whose: str, hits: Sequence[SearchHit], language: str
    ) -> list[SearchHit]:
        """Return hits with the codes of having had them first; they stay behind these."""
        if whose == "status" and any(hit.concept_id.startswith(STATUS) for hit in hits):
            return sorted(hits, key=lambda hit: not hit.concept_id.startswith(STATUS))
        codes = dict.fromkeys(
            code
            for hit in hits[:FIRST_OF_HISTORY]
            for code in history_codes(whose, hit.concept_id)
            if code in self._hierarchy
        )
        first = [self.hit(code, language, Why.SYNONYM) for code in codes]
        return [*first, *(replace(hit, why=Why.RELATED) for hit in hits)]
