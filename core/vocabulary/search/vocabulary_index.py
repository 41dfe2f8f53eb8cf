"""Finds concepts by what people type: beginnings, inflected words, everyday names, errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from math import log1p
from pathlib import Path

from core.boundaries import VOCABULARY_FILES
from core.vocabulary.concepts import Concept, Hierarchy, plain_uri
from core.vocabulary.folding import SIGNS, fold_text
from core.vocabulary.reading import code_systems
from core.vocabulary.search.coverage import LabelCoverage
from core.vocabulary.search.everyday import EverydayNames
from core.vocabulary.search.hits import (
    Asked,
    Frequencies,
    HitCollection,
    LabelCandidate,
    Match,
    Row,
    SearchHit,
    Why,
    hit_of,
    is_doubtful,
)
from core.vocabulary.search.index_file import connect, fingerprint, fingerprint_at, write_index
from core.vocabulary.search.label_rows import (
    NO_LANGUAGE,
    LabelRows,
    WithdrawnLabels,
    beginning_among,
)
from core.vocabulary.search.spelling import MIN_LETTERS, Spelling, mended_by_spelling
from core.vocabulary.search.stems import said_by, terms_in

MAX_QUERY_CHARACTERS = 400  # the longest title of a code has 260
MAX_QUERY_WORDS = 12
MOST_MENDED = 10
MIN_COVERED_LETTERS = 3  # a shorter text is only the beginning of a word
MOST_COVERING = 100  # labels that are looked at more closely
MOST_IN_PART = 10
BESIDE_DIVISIONS = 20  # concepts read beyond twice the hits, where divisions are none
MIN_COVERED = 0.4  # of a query that a label says only in part
GOOD_FIT, AS_GOOD = 0.85, 0.02  # of a label for an everyday name; of labels that are as good
NAMED_SO = 2.0  # a label that is the very wording, before all that are only near to it


class VocabularyIndex:
    """Search over the labels and notations of the concepts that a hierarchy offers.

    The index is a derived SQLite file that may be deleted at any time. One connection, used by one
    thread at a time, serves all threads.
    """

    def __init__(self, hierarchy: Hierarchy, connection: sqlite3.Connection) -> None:
        self._hierarchy = hierarchy
        self._rows = LabelRows(connection)
        self._terms_of = terms_in(hierarchy.vocabulary_id)
        self._coverage = LabelCoverage(connection, self._rows.lock, self._terms_of)
        self._names = EverydayNames.of_vocabulary(hierarchy.vocabulary_id)
        self._withdrawn = WithdrawnLabels(hierarchy)
        self._plain = code_systems().plain_codes(hierarchy)
        uris = {hierarchy[i].uri: i for i in hierarchy}
        self._by_uri = {plain_uri(uri): i for uri, i in uris.items()} | uris

    @classmethod
    def open(cls, hierarchy: Hierarchy, path: str | Path) -> VocabularyIndex:
        """Open the index of this hierarchy; build it where it is missing, damaged or of another.

        Raises:
            VocabularyError: the file cannot be written or read.
        """
        path = Path(path)
        if fingerprint_at(path) != fingerprint(hierarchy):
            return cls.build(hierarchy, path)
        return cls._opened(hierarchy, path)

    @classmethod
    def build(cls, hierarchy: Hierarchy, path: str | Path) -> VocabularyIndex:
        """Write the index anew and open it.

        Raises:
            VocabularyError: the file cannot be written.
        """
        path = Path(path)
        write_index(hierarchy, path)
        return cls._opened(hierarchy, path)

    @classmethod
    def _opened(cls, hierarchy: Hierarchy, path: Path) -> VocabularyIndex:
        with VOCABULARY_FILES.translated(
            "The search index {path} cannot be read ({reason}); delete it and start again.",
            path=path,
        ):
            return cls(hierarchy, connect(path))

    def close(self) -> None:
        """Let go of the file."""
        self._rows.close()

    @property
    def languages(self) -> list[str]:
        """Codes of the languages that labels are in, without "" for those that state none."""
        return self._rows.languages

    def warm(self) -> None:
        """Read the words of the index now, so that the first typing error does not wait for it."""
        self._spelling.warm()

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self._rows.words())

    def search(
        self,
        query: str,
        *,
        language: str = "en",
        limit: int = 20,
        divisions: bool = True,
        frequencies: Frequencies | None = None,
        learned: Sequence[str] = (),
        suggested: Sequence[str] = (),
    ) -> list[SearchHit]:
        """Find concepts by what a person typed, or has begun to type.

        First what is named exactly so, then what replaces a withdrawn concept of that name, then
        what begins so, then what has all the words in any form and order, then what has them when
        everyday words are replaced by those of labels; after that the same in other languages,
        labels with some of the words, and what was probably meant where there is a typing error. A
        URI or an id finds its concept. Anything may be asked: what cannot match finds nothing.

        Args:
            divisions: whether concepts are found that cannot be assigned; otherwise a category of
                codes stands for the code below it that says no more.
            frequencies: what was accepted here; the frequent come before the rare.
            learned: concepts that were accepted here after this very query.
            suggested: concepts that are suggested for the open document, the likeliest first; they
                come before others that are as good.
        """
        if limit <= 0:
            return []
        typed = query[:MAX_QUERY_CHARACTERS].strip()
        whole = fold_text(typed)
        text = " ".join(whole.split()[:MAX_QUERY_WORDS])
        same, others = self._rows.groups(language)
        n_read = limit if divisions else 2 * limit + BESIDE_DIVISIONS
        ranks = {concept_id: rank for rank, concept_id in enumerate(suggested)}
        used = frequencies or {}
        asked = Asked(typed, whole, text, language, same, others, n_read, used, learned, ranks)
        hits = HitCollection(self._hierarchy, limit, None if divisions else self._plain)
        stated = self._rows.stated(typed, self._hierarchy) if self._hierarchy.has_codes else None
        if named := self.named(typed) or stated:
            hits.add(named, Match(typed, NO_LANGUAGE, Why.EXACT))
        if text:
            self._find(asked, hits)
            plain = fold_text(SIGNS.sub(" ", text))
            if plain != text and not len(hits):
                self._add_without_signs(replace(asked, whole=plain, text=plain), hits)
        return [
            hit_of(concept_id, match, self._hierarchy, language)
            for concept_id, match in hits.matches.items()
        ]

    def named(self, name: str) -> str | None:
        """Return the concept whose id or URI this is; None where there is none."""
        uris = self._by_uri
        return name if name in self._hierarchy else uris.get(name) or uris.get(plain_uri(name))

    def called(self, name: str) -> list[str]:
        """Return the concepts of which a label or notation has these very words, in any language."""
        everywhere = chain(*self._rows.groups(""))
        text = fold_text(name[:MAX_QUERY_CHARACTERS])
        rows = self._rows.exactly(text, [*everywhere], MOST_COVERING)
        return list(dict.fromkeys(row[0] for row, _ in rows))

    def withdrawn(self, query: str) -> Concept | None:
        """Return the withdrawn concept that a query names; None where it names none."""
        return self._withdrawn.named(fold_text(query[:MAX_QUERY_CHARACTERS]))

    def knows(self, query: str) -> bool:
        """Return whether a label has a word of a query, in any form and language."""
        text = fold_text(query[:MAX_QUERY_CHARACTERS])
        return bool(self._coverage.known(text, self._rows.groups("")[1]))

    def __contains__(self, concept_id: object) -> bool:
        return concept_id in self._hierarchy

    def hit(self, concept_id: str, language: str, why: Why = Why.RELATED) -> SearchHit:
        """Return a concept as a hit that no label was matched for."""
        return hit_of(concept_id, Match("", NO_LANGUAGE, why), self._hierarchy, language)

    def _find(self, asked: Asked, hits: HitCollection) -> None:
        """Add what a query finds until there are enough hits."""
        exact = self._covering(asked, asked.text, asked.own)
        self._add_exact(asked, exact, hits)
        for concept_id, match in self._withdrawn.exactly(asked.whole):
            hits.add(concept_id, match)
        self._add_beginning(asked, asked.own, hits)
        for concept_id, match in self._withdrawn.beginning(asked.text, asked.language):
            hits.add(concept_id, match)
        self._add_inflected(asked, exact, asked.own, hits)
        synonyms = self._synonyms(asked) if not hits.is_full else []
        self._add_synonyms(asked, synonyms, hits)
        if asked.others and not hits.is_full:
            others = self._covering(asked, asked.text, asked.others)
            rows = self._rows.exactly(asked.whole, asked.others, asked.limit)
            self._add_rows(asked, rows, Why.EXACT, hits)
            self._add_beginning(asked, asked.others, hits)
            self._add_inflected(asked, others, asked.others, hits)
        if not hits.is_full and is_doubtful(asked.text, hits.matches):
            self._add_what_was_meant(asked, [*exact, *synonyms], hits)

    def _add_without_signs(self, asked: Asked, hits: HitCollection) -> None:
        """Add matches without signs such as those of C++; short queries match whole names only."""
        if len(asked.text) >= MIN_COVERED_LETTERS:
            self._find(asked, hits)
        else:
            rows = self._rows.exactly(asked.text, [*asked.own, *asked.others], asked.limit)
            self._add_rows(asked, rows, Why.MENDED, hits)
        hits.are_of(asked.text)

    # ------------------------------------------------------------------ the rungs, surest first

    def _add_exact(
        self, asked: Asked, exact: Sequence[LabelCandidate], hits: HitCollection
    ) -> None:
        """Add concepts by their labels and everyday names; “unspecified” in a label adds nothing."""
        rows = self._rows.exactly(asked.whole, asked.own, asked.limit)
        self._add_rows(asked, rows, Why.EXACT, hits)
        words = set(asked.text.split())
        for candidate in exact:
            if candidate.says_as_much:
                plain = fold_text(said_by(candidate.row[1], self._hierarchy.vocabulary_id))
                if words == set(plain.split()):
                    hits.add(candidate.row[0], candidate.match(Why.EXACT))
        # “kids” is an everyday name of children, and another form of a goat's alternative label.
        preferred = (hit for hit in exact if hit.says_as_much and hit.is_preferred(self._hierarchy))
        is_everyday = not rows and self._names.means_one(asked.text) and not any(preferred)
        if is_everyday or not any(candidate.says_as_much for candidate in exact):
            self._add_named(asked, Why.EXACT, hits)

    def _add_named(self, asked: Asked, why: Why, hits: HitCollection) -> None:
        """Add the concepts of an everyday name: labels with little more than one of its wordings.

        Of several wordings those count of which labels say all and no more: in ICD-9-CM another
        than in ICD-10-CM.
        """
        wordings = self._names.whole(asked.text, asked.language)
        by_wording = [self._worded(asked, wording) for wording in wordings]
        good = [rows for rows in by_wording if rows and rows[0][1] > GOOD_FIT] or by_wording
        good.sort(key=lambda rows: bool(rows) and rows[0][1] < NAMED_SO)
        here = [(concept_id, NAMED_SO) for concept_id in asked.learned if concept_id in self]
        for concept_id, _ in (row for rows in [here, *good] for row in rows):
            hits.add(concept_id, Match(asked.typed, asked.language, why))

    def _worded(self, asked: Asked, wording: str) -> list[tuple[str, float]]:
        """Return the concepts that a wording means best, each with its nearness."""
        if wording in self._hierarchy:
            return [(wording, NAMED_SO)]
        everywhere = [*asked.own, *asked.others]
        exact = self._rows.exactly(fold_text(wording), everywhere, asked.limit)
        plain = said_by(wording, self._hierarchy.vocabulary_id)
        covering = [
            (candidate.row[0], candidate.nearness(asked.frequencies))
            for candidate in self._covering(asked, plain, everywhere, is_typed=False)
            if candidate.label.is_whole
        ]
        best = max((nearness for _, nearness in covering), default=0.0)
        near = [(concept_id, n) for concept_id, n in covering if n > best - AS_GOOD]
        return [*((row[0], NAMED_SO) for row, _ in exact), *near]

    def _add_beginning(self, asked: Asked, languages: Sequence[str], hits: HitCollection) -> None:
        """Add labels that begin with what was typed, short and frequent ones first."""
        if hits.is_full:
            return
        rows = self._rows.beginning(asked.text, languages, asked.limit)
        if asked.frequencies:
            rows.sort(key=lambda row: row[0][2] / (1 + log1p(asked.frequencies.get(row[0][0], 0))))
        here = (self._hierarchy[i] for i in asked.suggested if i in self._hierarchy)
        rows += beginning_among(here, self._hierarchy.vocabulary_id, asked.text, languages)
        self._add_rows(asked, rows, Why.PREFIX, hits)

    def _add_inflected(
        self,
        asked: Asked,
        covering: Sequence[LabelCandidate],
        languages: Sequence[str],
        hits: HitCollection,
    ) -> None:
        """Add labels that have all words, in whatever form, or words that begin so."""
        for candidate in sorted(covering, key=lambda c: asked.place(c.row[0])):
            if candidate.label.is_whole:
                hits.add(candidate.row[0], candidate.match(Why.INFLECTED))
        if not hits.is_full:
            words = " ".join(f'"{word}"*' for word in asked.text.split())
            rows = self._rows.having(words, languages, asked.limit)
            self._add_rows(asked, rows, Why.INFLECTED, hits)

    def _synonyms(self, asked: Asked) -> list[LabelCandidate]:
        """Return labels that say some of the words once everyday names are replaced."""
        candidates = [
            candidate
            for reading in self._names.readings(asked.text, asked.language)
            for candidate in self._covering(asked, reading, asked.own)
        ]
        return sorted(candidates, key=lambda c: -c.nearness(asked.frequencies))

    def _add_synonyms(
        self, asked: Asked, synonyms: Sequence[LabelCandidate], hits: HitCollection
    ) -> None:
        """Add what has all words once everyday names are replaced."""
        if hits.is_full:
            return
        self._add_named(asked, Why.SYNONYM, hits)
        for candidate in sorted(synonyms, key=lambda c: asked.place(c.row[0])):
            if candidate.label.is_whole:
                hits.add(candidate.row[0], candidate.match(Why.SYNONYM))

    def _add_what_was_meant(
        self, asked: Asked, candidates: Sequence[LabelCandidate], hits: HitCollection
    ) -> None:
        """Add labels with some of the words, or with words near to those that were typed.

        A word that no label has is an error; of words that labels do have another may be meant,
        where no label has several of them.
        """
        in_part = self._in_part(asked, candidates)
        has_several = any(" " in (match.mended or "") for match in in_part.values())
        mended: list[tuple[str, Match]] = []
        if len(asked.text) >= MIN_LETTERS and (not has_several or self._has_unknown(asked)):
            mended = mended_by_spelling(
                self._rows, self._spelling, asked.text, asked.own, asked.others
            )
        near = mended or ([] if len(hits) else [*in_part.items()])
        for concept_id, match in near[:MOST_MENDED]:
            hits.add(concept_id, match)

    def _in_part(self, asked: Asked, candidates: Sequence[LabelCandidate]) -> dict[str, Match]:
        """Return the labels that have most of the words, a concept each."""
        matches: dict[str, Match] = {}
        if " " not in asked.text:
            return matches
        for each in sorted(candidates, key=lambda c: -c.nearness(asked.frequencies)):
            concept_id = each.row[0]
            is_partial = not each.label.is_whole and each.label.covered >= MIN_COVERED
            if is_partial and concept_id not in matches:
                match = each.match(Why.RELATED)
                matches[concept_id] = replace(match, mended=self._shared(asked, each))
            if len(matches) >= MOST_IN_PART:
                break
        return matches

    def _shared(self, asked: Asked, candidate: LabelCandidate) -> str:
        terms = self._terms_of(asked.text, candidate.language)
        words: dict[str, str] = {}
        for word in fold_text(candidate.row[1]).split():
            for term in self._terms_of(word, candidate.language):
                words.setdefault(term, word)
        return " ".join(words[term] for term in terms if term in words) or candidate.row[1]

    def _has_unknown(self, asked: Asked) -> bool:
        """Return whether a word is in no label, neither as it stands nor in another form."""
        return any(
            self._spelling.may_be_wrong(word)
            and not self._spelling.begins_word(word)
            and not self._coverage.known(word, asked.own)
            for word in asked.text.split()
        )

    # ------------------------------------------------------------------ from labels to hits

    def _add_rows(
        self, asked: Asked, rows: Iterable[tuple[Row, str]], why: Why, hits: HitCollection
    ) -> None:
        for (concept_id, text, _), language in sorted(rows, key=lambda r: asked.order(r[0], why)):
            hits.add(concept_id, Match(text, language, why))

    def _covering(
        self, asked: Asked, text: str, languages: Sequence[str], *, is_typed: bool = True
    ) -> list[LabelCandidate]:
        """Return the labels that say some of a text, the nearest first."""
        if len(text) < MIN_COVERED_LETTERS:
            return []
        candidates: list[LabelCandidate] = []
        typed = set(fold_text(text).split())
        for language in languages:
            labels = self._coverage.covering(text, language, most=MOST_COVERING, is_typed=is_typed)
            rows = self._rows.numbered([label.number for label in labels])
            for label in labels:
                words = set(fold_text(rows[label.number][1]).split())
                candidates.append(
                    LabelCandidate(label, rows[label.number], language, len(typed - words))
                )
        return sorted(candidates, key=lambda c: c.order(asked.frequencies))
