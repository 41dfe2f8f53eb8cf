"""What a corpus is like: classes, documents, words and sentences, beside the paper's Table 1.

C is how many labels occur, N how many documents there are in all splits, W and S the mean number of
words and sentences of a document, its title and text read as one. A word is what stands between
blanks; a sentence ends with . ! or ? (and closing quotation marks or brackets) before a blank or at
the end, and what follows the last of these is one too. The paper says of none how it was counted,
so words are also counted with punctuation marks as words of their own, as tokenizers have them.
Source: Adhikari et al. (2019), Table 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass

from training.config import DataConfig
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument
from training.results.tables import markdown

_END = re.compile(r"[.!?]+[\"'”’)\]]*(?:\s+|$)")
_TOKEN = re.compile(r"\w+(?:[.,'’/-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """A row of the paper's Table 1.

    Attributes:
        notes: what is known of why a count may differ from it, a sentence each.
    """

    name: str
    classes: int
    documents: int
    words: float
    sentences: float
    notes: tuple[str, ...] = ()


_DRAWN = (
    "The paper draws its splits at random and does not say which documents are in them; N, W and S "
    "are of all splits together, so the draw does not change them."
)
PUBLISHED = {
    "reuters": PublishedCounts(
        "Reuters",
        90,
        10_789,
        144.3,
        6.6,
        (
            "N: the ModApte split has 7,770 training and 3,019 test stories with at least one of "
            "the 90 topics, together 10,789. Papers and collections that count 7,769 and 10,788 "
            "lack story 1199, whose tag has an attribute (CSECS) that no other of these has, so "
            "that a pattern for theirs passes it over.",
            "W and S: stories are read without dateline and author. “Reuter”, with which most of "
            "them end, has no full stop and counts as a sentence of its own; a title has none "
            "either and counts with the first sentence.",
        ),
    ),
    "aapd": PublishedCounts(
        "AAPD",
        54,
        55_840,
        167.3,
        1.0,
        (
            "N: 53,840 training, 1,000 dev and 1,000 test abstracts, as published.",
            "S: the abstracts were published in lower case and without full stops, so nearly each "
            "is one sentence by any rule that looks for them.",
        ),
    ),
    "imdb10": PublishedCounts("IMDB", 10, 135_669, 393.8, 14.4, (_DRAWN,)),
    "yelp2014": PublishedCounts("Yelp 2014", 5, 1_125_386, 148.8, 9.1, (_DRAWN,)),
}
"""Format -> what the paper prints of it, where no task is named."""


@dataclass(slots=True)
class CorpusCounts:
    """Sums over documents, from which the means are taken.

    Attributes:
        tokens: words, and punctuation marks as words of their own.
        labels: assigned labels, each as often as it is assigned.
    """

    documents: int = 0
    words: int = 0
    tokens: int = 0
    sentences: int = 0
    labels: int = 0

    @classmethod
    def of(cls, rows: Iterable[LabelledDocument]) -> CorpusCounts:
        """Count these documents, one after the other."""
        counts = cls()
        for row in rows:
            text = f"{row.document.title}\n{row.document.text}"
            counts.documents += 1
            counts.words += len(text.split())
            counts.tokens += sum(1 for _ in _TOKEN.finditer(text))
            counts.sentences += n_sentences(text)
            counts.labels += len(row.assigned)
        return counts

    def mean(self, name: str) -> float:
        """Return a sum by document; 0 where there is none."""
        total: int = getattr(self, name)
        return total / self.documents if self.documents else 0.0


def n_sentences(text: str) -> int:
    """Return how many sentences a text has; 0 where it is blank."""
    return sum(1 for piece in _END.split(text) if piece.strip())


def describe(corpus: Corpus, data: DataConfig) -> str:
    """Return a page in Markdown: the counts beside the paper's, by split, and why they differ.

    Args:
        data: what the corpus was read from; it decides which row of the paper is its own.
    """
    counts = {name: CorpusCounts.of(corpus.split(name)) for name in _own_splits(corpus)}
    whole = CorpusCounts(*map(sum, zip(*map(astuple, counts.values()), strict=True)))
    n_classes = len(
        {label for name in counts for row in corpus.split(name) for label in row.assigned}
    )
    published = None if data.task else PUBLISHED.get(data.format)
    parts = [
        f"# {corpus.name}",
        _beside_the_paper(n_classes, whole, published),
        _by_split(counts),
        "\n".join(f"- {line}" for line in _sentences(corpus, whole, n_classes, published)),
    ]
    return "\n\n".join(parts)


def _own_splits(corpus: Corpus) -> list[str]:
    """Return the splits, without a test set that is dev under another name."""
    is_double = len(corpus.test) > 0 and corpus.test == corpus.dev
    return [name for name in SPLITS if not (name == "test" and is_double)]


def _beside_the_paper(
    n_classes: int, whole: CorpusCounts, published: PublishedCounts | None
) -> str:
    header = ["", "C (classes)", "N (documents)", "W (words)", "S (sentences)"]
    words, sentences = whole.mean("words"), whole.mean("sentences")
    body = [["here", f"{n_classes:,}", f"{whole.documents:,}", f"{words:.1f}", f"{sentences:.1f}"]]
    if published:
        p = published
        body.append(
            [f"DocBERT, Table 1 ({p.name})", f"{p.classes:,}", f"{p.documents:,}",
             f"{p.words:.1f}", f"{p.sentences:.1f}"]
        )  # fmt: skip
        body.append(
            ["difference", _signed(n_classes - p.classes), _signed(whole.documents - p.documents),
             _signed(words - p.words), _signed(sentences - p.sentences)]
        )  # fmt: skip
    return markdown(header, body)


def _signed(difference: float) -> str:
    """Return a difference with its sign; 0 where nothing is left of it."""
    text = f"{difference:+,}" if isinstance(difference, int) else f"{difference:+,.1f}"
    return text if text.strip("+-0.") else "0"


def _by_split(counts: dict[str, CorpusCounts]) -> str:
    header = ["Split", "Documents", "Labels a document", "Words", "Words and marks", "Sentences"]
    means = ("labels", "words", "tokens", "sentences")
    body = [
        [name, f"{of.documents:,}", f"{of.mean(means[0]):.2f}",
         *(f"{of.mean(key):.1f}" for key in means[1:])]
        for name, of in counts.items()
    ]  # fmt: skip
    return markdown(header, body)


def _sentences(
    corpus: Corpus, whole: CorpusCounts, n_classes: int, published: PublishedCounts | None
) -> Iterator[str]:
    yield (
        "Words are what stands between blanks in title and text; with punctuation marks as words "
        f"of their own W is {whole.mean('tokens'):.1f}. A sentence ends with . ! or ? before a "
        "blank or the end, and what follows the last of these is one too."
    )
    if published:
        yield "The paper does not say how it counted either."
        yield from _difference(corpus, whole.documents, n_classes, published)
        yield from published.notes
    yield from corpus.remarks
    if corpus.problems:
        n_problems, first = len(corpus.problems), corpus.problems[0]
        yield f"{n_problems:,} records were skipped or mended, the first: {first}"


def _difference(
    corpus: Corpus, n_documents: int, n_classes: int, published: PublishedCounts
) -> Iterator[str]:
    """Yield what can be said of every corpus whose N or C is not the paper's."""
    n_more = n_documents - published.documents
    if not n_more:
        yield f"N is the paper's, {n_documents:,}."
    else:
        few = "more" if n_more > 0 else "fewer"
        yield (
            f"N: {abs(n_more):,} documents {few} than the paper's {published.documents:,}; here "
            f"{len(corpus.problems):,} records were skipped or mended."
        )
    if n_classes != published.classes:
        yield (
            f"C: {n_classes:,} labels occur in these documents, the paper's have "
            f"{published.classes:,}."
        )
