"""Fits the default weights of suggestions for a vocabulary that no model has learned.

They are fitted on documents of a corpus as if their vocabulary were new: candidates are found and
described with nothing decided yet, with ten documents, and so on to all that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.progress import track

from core.documents.document import Document, Part
from core.suggest.cold_start.finished import FinishedCandidates
from core.suggest.ranking.decided import Experience, LearnedDocument
from core.suggest.ranking.features import COLD_START_FEATURES, IN_TEXT, IN_TITLE
from core.suggest.ranking.ranker import Ranker
from core.vocabulary.labels import LabelSpace
from training.config import DataConfig
from training.corpora.corpus import Corpus, LabelledDocument, full_texts
from training.judging.folders import load_data, over
from training.judging.judge import titled_full_texts
from training.ranking.examples import DescribedDocument, Examples
from training.ranking.fit_ranker import Say, fit_scorer

Whole = npt.NDArray[np.int64]

STAGES = (0, 10, 50, 200, 1_000, 5_000, 1_000_000)
"""How many documents are decided; of the last, all that there are."""
N_TITLES, N_TEXTS = 1_000, 350
N_COLLECTIONS, SUGGESTED_FOR, NEAR = 30, 20, 500
FEW_STAGES = (3, 10, 50, 200)
"""Of collections of one subject: how many there are, documents of each, those that are near it, and
how many of these are decided."""
FEWEST_WORDS = 40
LESS_IS_BETTER = ("text_first", "text_first_share", "narrower_standing")
MORE_IS_BETTER = (
    *(name for name in (*IN_TITLE, *IN_TEXT) if name not in LESS_IS_BETTER),
    "right_in_titles",
    "right_in_texts",
    "votes",
    "votes_of_nearest",
)
"""Where the weights of texts may go one way only, so that they hold for others than those of acts.
Titles are much alike everywhere, and lose by it: nDCG@5 on dev 39.0 to 36.4 with nothing decided.
"""
ONE_WAY = [(name in MORE_IS_BETTER) - (name in LESS_IS_BETTER) for name in COLD_START_FEATURES]
"""By feature, 1 where more of it never makes a candidate less probable, -1 where it never makes it
more so, 0 elsewhere."""
NO_CONCEPTS = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class ColdStarts:
    """Candidates of a vocabulary, and documents in the order in which they are decided.

    Attributes:
        decided: what each document says, in a drawn order.
    """

    candidates: FinishedCandidates
    decided: tuple[LearnedDocument, ...]

    @classmethod
    def drawn(cls, label_space: LabelSpace, documents: Sequence[LabelledDocument]) -> ColdStarts:
        """Put documents into an order by chance, and find what each says."""
        candidates = FinishedCandidates(label_space)
        drawn = [documents[n] for n in draw(len(documents)).tolist()]
        decided = [
            candidates.decided(row.document, 0, label_space.positions(row.assigned), NO_CONCEPTS)
            for row in track(drawn, "documents to learn from", transient=True)
        ]
        return cls(candidates, tuple(decided))

    def of(self, documents: Sequence[LearnedDocument]) -> Experience:
        """Return what some documents say together."""
        experience = self.candidates.nothing_decided()
        experience.add(documents)
        return experience.experience()

    def examples(self, documents: Sequence[LabelledDocument], experience: Experience) -> Examples:
        """Return the candidates of documents, given what was decided before."""
        return Examples.gathered(
            DescribedDocument(
                row.document_id,
                row.is_full_text,
                self.candidates(row.document, experience),
                self.candidates.label_space.positions(row.assigned),
            )
            for row in documents
        )


def draw(number: int) -> Whole:
    """Return the numbers of documents in the order in which they are decided."""
    return np.random.default_rng(0).permutation(number)


def fit_cold_start(corpus: Corpus, label_space: LabelSpace, *, say: Say) -> Ranker:
    """Fit on documents of train, from what the other documents of train say."""
    by_date = sorted(corpus.train, key=lambda row: row.date)
    titles = _drawn(by_date[-len(by_date) // 10 :], N_TITLES)
    texts = _drawn(titled_full_texts(full_texts(by_date)), N_TEXTS)
    held = {row.document_id for row in (*titles, *texts)}
    rest = [row for row in corpus.train if row.document_id not in held]
    say(f"fitted on {len(titles):,} titles and {len(texts):,} texts, of {len(rest):,} others")
    starts = ColdStarts.drawn(label_space, rest)
    alone = [row.title_alone() for row in titles]
    texts += passages(texts)
    of_titles, of_texts = [], []
    for number in track(STAGES, "stages", transient=True):
        experience = starts.of(starts.decided[:number])
        of_titles.append(starts.examples(alone, experience))
        of_texts.append(starts.examples(texts, experience))
    by_title = Examples.joined([*of_titles, *collections(starts, alone)])
    by_text = Examples.joined([*of_texts, *collections(starts, texts)])
    return Ranker(
        fit_scorer(by_title, max_leaf_nodes=31),
        fit_scorer(by_text, max_leaf_nodes=31, monotonic_cst=ONE_WAY),
        COLD_START_FEATURES,
    )


def collections(starts: ColdStarts, documents: Sequence[LabelledDocument]) -> Iterator[Examples]:
    """Yield candidates of documents as they come in a collection of one subject, which is what people
    index: everything that was decided there, and what is suggested for, is like one document.
    """
    generator = np.random.default_rng(0)
    whole = sorted(starts.decided, key=lambda document: document.document_id)
    everything = starts.of(whole)
    # Two rows may be of one document, as a whole and by a passage.
    rows = [replace(row, document=replace(row.document, document_id=f"{n:06}"))
            for n, row in enumerate(documents)]  # fmt: skip
    learned = [starts.candidates.decided(row.document, 0, NO_CONCEPTS, NO_CONCEPTS) for row in rows]
    others = starts.of(learned)
    n_drawn = min(N_COLLECTIONS, len(documents))
    for number in generator.choice(len(documents), n_drawn, replace=False).tolist():
        terms = starts.candidates.reading(documents[number].document).terms
        near, _ = everything.similar(terms, NEAR)
        alike = [documents[n] for n in others.similar(terms, SUGGESTED_FOR)[0].tolist()]
        for stage in FEW_STAGES:
            chosen = generator.choice(near, min(stage, len(near)), replace=False).tolist()
            yield starts.examples(alike, starts.of([whole[n] for n in chosen]))


def passages(documents: Sequence[LabelledDocument]) -> list[LabelledDocument]:
    """Return each document with one passage of its text instead of the whole: acts are long, and
    what is indexed elsewhere is often no more than an abstract.
    """
    generator = np.random.default_rng(0)
    pieces = []
    for row in documents:
        words = row.document.text.split()
        most = max(len(words), FEWEST_WORDS + 1)
        length = int(np.exp(generator.uniform(np.log(FEWEST_WORDS), np.log(most))))
        start = int(generator.integers(max(len(words) - length, 0) + 1))
        passage = Part(" ".join(words[start : start + length]))
        document = Document(row.document_id, row.document.title, (passage,))
        pieces.append(LabelledDocument(document, row.assigned, row.date))
    return pieces


def _drawn(documents: Sequence[LabelledDocument], number: int) -> list[LabelledDocument]:
    return [documents[n] for n in sorted(draw(len(documents))[:number].tolist())]


def write_cold_start(folder: Path, options: DataConfig, *, say: Say) -> None:
    """Fit the default weights, and write them into a folder."""
    data = load_data(over(DataConfig(), options))
    ranker = fit_cold_start(data.corpus, data.label_space, say=say)
    folder.mkdir(parents=True, exist_ok=True)
    ranker.save(folder)
