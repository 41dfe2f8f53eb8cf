"""What a corpus is like: classes, documents, words and sentences, beside the paper's Table 1.

C is how many labels occur, N how many documents there are in all splits, W and S the mean number of
words and sentences of a document, its title and text read as one. A word is what stands between
blanks; a sentence ends with . ! or ? (and closing quotation marks or brackets) before a blank or at
the end, and what follows the last of these is one too. The paper does not say how it counted.
Source: Adhikari et al. (2019), Table 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from training.config import DataConfig
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument
from training.results.tables import markdown

_END = re.compile(r"[.!?]+[\"'”’)\]]*(?:\s+|$)")

PUBLISHED = {
    "reuters": ("Reuters", 90, 10_789, 144.3, 6.6),
    "aapd": ("AAPD", 54, 55_840, 167.3, 1.0),
    "imdb10": ("IMDB", 10, 135_669, 393.8, 14.4),
    "yelp2014": ("Yelp 2014", 5, 1_125_386, 148.8, 9.1),
}
"""Format -> name, C, N, W and S as the paper prints them, where no task is named."""


class CorpusCounts(NamedTuple):
    """Sums over documents, from which the means are taken.

    Attributes:
        labels: assigned labels, each as often as it is assigned.
    """

    documents: int
    labels: int
    words: int
    sentences: int

    @classmethod
    def of(cls, rows: Iterable[LabelledDocument]) -> CorpusCounts:
        """Count these documents."""
        texts = [(f"{row.document.title}\n{row.document.text}", row.assigned) for row in rows]
        return cls(
            len(texts),
            sum(len(assigned) for _, assigned in texts),
            sum(len(text.split()) for text, _ in texts),
            sum(n_sentences(text) for text, _ in texts),
        )

    def means(self) -> list[float]:
        """Return labels, words and sentences by document; 0 where there is none."""
        return [total / max(self.documents, 1) for total in self[1:]]


def n_sentences(text: str) -> int:
    """Return how many sentences a text has; 0 where it is blank."""
    return sum(1 for piece in _END.split(text) if piece.strip())


def describe(corpus: Corpus, data: DataConfig) -> str:
    """Return a page in Markdown: the counts beside the paper's, by split, and what was skipped.

    Args:
        data: what the corpus was read from; it decides which row of the paper is its own.
    """
    # A test set may be dev under another name.
    is_double = len(corpus.test) > 0 and corpus.test == corpus.dev
    splits = [name for name in SPLITS if not (name == "test" and is_double)]
    counts = {name: CorpusCounts.of(corpus.split(name)) for name in splits}
    parts = [f"# {corpus.name}", _beside_the_paper(corpus, counts, data), _by_split(counts)]
    remarks = [*corpus.remarks]
    if corpus.problems:
        n_problems, first = len(corpus.problems), corpus.problems[0]
        remarks.append(f"{n_problems:,} records were skipped or mended, the first: {first}")
    return "\n\n".join([*parts, "\n".join(f"- {line}" for line in remarks)]).rstrip()


def _beside_the_paper(corpus: Corpus, counts: dict[str, CorpusCounts], data: DataConfig) -> str:
    whole = CorpusCounts(*map(sum, zip(*counts.values(), strict=True)))
    labels = {label for name in counts for row in corpus.split(name) for label in row.assigned}
    _, words, sentences = whole.means()
    here = (len(labels), whole.documents, words, sentences)
    body = [["here", *map(_number, here)]]
    if not data.task and data.format in PUBLISHED:
        name, *theirs = PUBLISHED[data.format]
        body.append([f"DocBERT, Table 1 ({name})", *map(_number, theirs)])
    return markdown(["", "C (classes)", "N (documents)", "W (words)", "S (sentences)"], body)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _by_split(counts: dict[str, CorpusCounts]) -> str:
    body = [
        [name, f"{of.documents:,}", *(f"{mean:.{digits}f}" for mean, digits in zip(of.means(), (2, 1, 1), strict=True))]
        for name, of in counts.items()
    ]  # fmt: skip
    return markdown(["Split", "Documents", "Labels a document", "Words", "Sentences"], body)
