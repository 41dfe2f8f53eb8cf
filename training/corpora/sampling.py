"""Draws of documents that keep the shares of their labels: a smaller training set, a fold, a split.

Every draw goes along the documents in the order of their strata, in equal strides from a random
start (systematic sampling). So each document has the same chance, the number drawn is exact, and a
stratum of n documents gives its share of n rounded up or down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.errors import ConfigError, DocumentError
from training.config import DataConfig
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, Splits

SPLIT_SEED = 2020
"""Seed of splits and folds: the same documents are held out, whatever the seed of a run."""

DEV_SHARE = 0.2
"""Share of what a fold leaves for training that is dev."""

DRAWN_DEV_SHARE = 0.1
"""Share of a training set that is dev, where a corpus comes with a test set and no dev set."""

N_FOLDS = 5
"""Of a corpus without splits, one of so many parts is test."""

EVERYTHING = "everything"
"""In place of a fold, for a bundle that ships."""

MOST_WATCHED = 300
"""Documents of dev where nothing is chosen on it."""

N_TENTHS = 10
"""Of a corpus whose paper draws its splits, one part of so many is dev and one is test."""

Documents = Sequence[LabelledDocument]


def training_documents(corpus: Corpus, data: DataConfig, seed: int) -> Documents:
    """Return the training documents: the newest, or a cut of these, as configured."""
    documents = newest(corpus.train, data.newest)
    if not data.cut or data.cut >= len(documents):
        return documents
    return [documents[i] for i in draw(documents, data.cut, np.random.default_rng(seed))]


def newest(documents: Documents, number: int) -> Documents:
    """Return the newest by date, in their order; all where `number` is 0."""
    if not number or number >= len(documents):
        return documents
    by_date = sorted(range(len(documents)), key=lambda i: documents[i].date)[-number:]
    return [documents[i] for i in sorted(by_date)]


def draw(documents: Documents, number: int, rng: np.random.Generator) -> list[int]:
    """Return rows of a stratified draw, ascending."""
    return sorted(_strided(stratified_order(documents, rng), number, rng))


def hold_out(
    documents: Documents, share: float, rng: np.random.Generator
) -> tuple[tuple[LabelledDocument, ...], tuple[LabelledDocument, ...]]:
    """Return what stays and what is held out, in order; the number held out is rounded down.

    A document whose rarest label no other has stays, and with at most half held out every label
    keeps a document to be learned from.
    """
    rarest = rarest_labels(documents)
    sizes = Counter(rarest)
    order = [
        row for row in stratified_order(documents, rng) if not rarest[row] or sizes[rarest[row]] > 1
    ]
    held = set(_strided(order, min(len(order), int(share * len(documents))), rng))
    stays = tuple(d for row, d in enumerate(documents) if row not in held)
    return stays, tuple(documents[row] for row in sorted(held))


def stratified_order(documents: Documents, rng: np.random.Generator) -> list[int]:
    """Return all rows, those of a stratum beside one another and in random order.

    A document's stratum is the rarest of its labels: with one label each these are the classes,
    with several it is the label whose share a draw would most easily lose.
    """
    rarest = rarest_labels(documents)
    sizes = Counter(rarest)
    shuffled = rng.permutation(len(documents)).tolist()
    return sorted(shuffled, key=lambda row: (sizes[rarest[row]], rarest[row]))


def rarest_labels(documents: Documents) -> list[str]:
    """Return the rarest label of each document; "" of one without labels."""
    counts = Counter(label for document in documents for label in document.assigned)
    return [
        min(document.assigned, key=lambda label: (counts[label], label), default="")
        for document in documents
    ]


def _strided(order: Sequence[int], number: int, rng: np.random.Generator) -> list[int]:
    """Return `number` of the rows, in equal strides from a random start."""
    start = rng.random()
    return [order[int((start + i) * len(order) / number)] for i in range(number)]


def completed(
    splits: Mapping[str, Documents], dev_share: float = DRAWN_DEV_SHARE
) -> tuple[Splits, tuple[str, ...]]:
    """Return all three splits, of those that a corpus comes with; one without documents is missing.

    Without any but train, test is a fifth and dev a fifth of the rest. Without dev, it is drawn
    from train. Without test, where its labels are kept out, dev stands in both places: what is
    tuned on dev is then judged on what it was tuned on.

    Returns:
        The splits, and a sentence about each that did not come with the corpus.
    """
    train, dev, test = (tuple(splits.get(name, ())) for name in SPLITS)
    if dev and test:
        return Splits(train, dev, test), ()
    if dev:
        remark = "Test is dev itself: the labels of the test set are not here."
        return Splits(train, dev, dev), (remark,)
    if test:
        train, dev = hold_out(train, dev_share, np.random.default_rng(SPLIT_SEED))
        remark = f"Dev is a stratified random {dev_share:.0%} of the training set."
        return Splits(train, dev, test), (remark,)
    remark = "The splits are stratified random ones: 64 % train, 16 % dev, 20 % test."
    drawn = _one_fold(train, 1, N_FOLDS)
    return drawn, (remark, *repeated_texts(drawn))


def split_in_tenths(documents: Documents) -> tuple[Splits, tuple[str, ...]]:
    """Return eight tenths as train, one as dev and one as test, always the same.

    The papers draw at random and name no seed. Here each class gives its tenths, so the shares of
    the classes are alike in all three. Documents of one text stay together: none is judged by what
    was learned of it. The draw depends on texts alone, neither on ids nor on the order.

    Returns:
        The splits, and a sentence about them.
    Raises:
        DocumentError: there are fewer than ten documents.
    Source: Yang et al. (2016), section 3.1; Adhikari et al. (2019), section 4.1.
    """
    if len(documents) < N_TENTHS:
        raise DocumentError(
            f"{len(documents)} documents cannot be split in tenths: ten are needed."
        )
    alike = _by_text(documents)
    firsts = [rows[0] for rows in alike]
    order = stratified_order(firsts, np.random.default_rng(SPLIT_SEED))
    drawn = {"test": order[9::N_TENTHS], "dev": order[4::N_TENTHS]}
    held = {*drawn["test"], *drawn["dev"]}
    drawn["train"] = [number for number in range(len(alike)) if number not in held]
    splits = Splits(*(_ordered(alike, drawn[name]) for name in SPLITS))
    remark = "The splits are stratified random ones: 80 % train, 10 % dev, 10 % test."
    n_again = len(documents) - len(alike)
    again = f"{n_again:,} documents repeat another's text, and are in the split of that."
    return splits, (remark, again) if n_again else (remark,)


def _by_text(documents: Documents) -> list[list[LabelledDocument]]:
    """Return groups of documents of equal text, in an order independent of ids and lines."""
    groups: dict[tuple[str, str], list[LabelledDocument]] = {}
    for row in sorted(documents, key=lambda row: row.document_id):
        groups.setdefault((row.document.title, row.document.text), []).append(row)
    return [groups[text] for text in sorted(groups)]


def _ordered(groups: Sequence[Documents], numbers: Sequence[int]) -> tuple[LabelledDocument, ...]:
    rows = [row for number in numbers for row in groups[number]]
    return tuple(sorted(rows, key=lambda row: row.document_id))


def folded(corpus: Corpus, fold: str) -> Corpus:
    """Return the corpus with one fold held out as test, and a fifth of the rest as dev.

    All labelled documents take part, whatever split they came in, so the folds are of the whole.

    Args:
        fold: such as "2/5", "train 2/5", "everything 2/5" or "before 2013"; "dev", "all" or
            "everything" as in `DataConfig`.
    Raises:
        ConfigError: this is no fold.
    """
    if fold in DRAWN:
        return DRAWN[fold](corpus)
    if fold.startswith(OF_TRAIN):
        return _fold_of_train(corpus, fold.removeprefix(OF_TRAIN), "training documents")
    if fold.startswith(OF_EVERYTHING):
        whole = replace(corpus, train=_all_documents(corpus))
        return _fold_of_train(whole, fold.removeprefix(OF_EVERYTHING), "documents of all splits")
    if fold.startswith(BEFORE):
        return _learned_before(corpus, fold.removeprefix(BEFORE).strip())
    number, n_folds = parse_fold(fold)
    documents = _all_documents(corpus)
    remark = (
        f"Test is fold {fold} of all {len(documents):,} documents; dev is a fifth of the others."
    )
    drawn = _one_fold(documents, number, n_folds)
    remarks = (remark, *repeated_texts(drawn))
    return replace(corpus, train=drawn.train, dev=drawn.dev, test=drawn.test, remarks=remarks)


def _judged_on_dev(corpus: Corpus) -> Corpus:
    """Return the corpus's own dev as test, and a tenth of its training documents as dev."""
    rows, number = corpus.train, int(DRAWN_DEV_SHARE * len(corpus.train))
    # Not `hold_out`, which keeps a label's only document: of codes, most documents have one.
    held = set(draw(rows, number, np.random.default_rng(SPLIT_SEED)))
    dev = tuple(rows[i] for i in sorted(held))
    train = tuple(row for i, row in enumerate(rows) if i not in held)
    remark = f"Test is the corpus's own dev; dev is {DRAWN_DEV_SHARE:.0%} of its training set."
    return replace(corpus, train=train, dev=dev, test=corpus.dev, remarks=(remark,))


def _fold_of_train(corpus: Corpus, part: str, documents: str) -> Corpus:
    """Return a part, such as "2/5", of the training documents as test, a tenth of the others as dev.

    Args:
        documents: what they are called.
    """
    number, n_folds = parse_fold(part)
    rows = sorted(corpus.train, key=lambda row: row.document_id)
    order = stratified_order(rows, np.random.default_rng(SPLIT_SEED))
    held = set(order[number - 1 :: n_folds])
    rest = replace(corpus, train=tuple(row for i, row in enumerate(rows) if i not in held))
    test = tuple(rows[i] for i in sorted(held))
    remark = f"Test is {part} of the {documents}; dev is {DRAWN_DEV_SHARE:.0%} of the others."
    return replace(_judged_on_dev(rest), test=test, remarks=(remark,))


def _learned_whole(corpus: Corpus) -> Corpus:
    """Return all documents as training documents but a tenth, which is dev and test at once."""
    rows = _all_documents(corpus)
    train, dev = hold_out(rows, DRAWN_DEV_SHARE, np.random.default_rng(SPLIT_SEED))
    remark = f"All documents are learned but {DRAWN_DEV_SHARE:.0%}, which are dev and test at once."
    return replace(corpus, train=train, dev=dev, test=dev, remarks=(remark,))


def _learned_everything(corpus: Corpus) -> Corpus:
    """Return all documents as training documents; some of them are dev and test as well."""
    rows = _all_documents(corpus)
    watched = tuple(
        rows[i] for i in draw(rows, _n_watched(rows), np.random.default_rng(SPLIT_SEED))
    )
    remark = f"All documents are learned; dev and test are {len(watched):,} of them."
    return replace(corpus, train=rows, dev=watched, test=watched, remarks=(remark,))


def _learned_before(corpus: Corpus, date: str) -> Corpus:
    """Return the documents before a date as train and dev, and the later ones as test.

    What is learned of the past is so judged on what came after it (rolling origin).
    """
    rows = _all_documents(corpus)
    earlier = tuple(row for row in rows if row.date and row.date < date)
    later = tuple(row for row in rows if row.date >= date)
    if not date or not earlier or not later:
        raise ConfigError(
            f"data.fold = {BEFORE + date!r} leaves {len(earlier):,} documents to learn from and "
            f"{len(later):,} to judge: name a date between those of the corpus, such as "
            "“before 2013”."
        )
    share = _n_watched(earlier) / len(earlier)
    train, dev = hold_out(earlier, share, np.random.default_rng(SPLIT_SEED))
    remark = f"Train and dev are the documents before {date}, test is the later ones."
    return replace(corpus, train=train, dev=dev, test=later, remarks=(remark,))


def _all_documents(corpus: Corpus) -> tuple[LabelledDocument, ...]:
    documents = {row.document_id: row for name in SPLITS for row in corpus.split(name)}
    return tuple(documents[i] for i in sorted(documents))


def _n_watched(documents: Documents) -> int:
    """Return how many documents the loss of a long run is measured on."""
    return max(1, min(MOST_WATCHED, len(documents) // N_TENTHS))


DRAWN = {"dev": _judged_on_dev, "all": _learned_whole, EVERYTHING: _learned_everything}
"""Words that stand in the place of a fold."""

OF_TRAIN = "train "
"""Beginning of a fold of the training documents alone, which leaves dev and test untouched."""

OF_EVERYTHING = f"{EVERYTHING} "
"""Beginning of a fold of all documents, of which dev is drawn as it is from the training documents:
what is ranked in a bundle that has learned from everything is fitted on these."""

BEFORE = "before "
"""Beginning of a fold in time."""


def repeated_texts(splits: Splits | Corpus) -> tuple[str, ...]:
    """Return a sentence where test documents repeat the text of a training document."""
    learned = {(row.document.title, row.document.text) for row in splits.train}
    n_repeated = sum((row.document.title, row.document.text) in learned for row in splits.test)
    if not n_repeated:
        return ()
    return (f"{n_repeated:,} of {len(splits.test):,} test documents repeat a training document.",)


def _one_fold(documents: Documents, number: int, n_folds: int) -> Splits:
    """Return one fold as test; the folds do not depend on the order in which the documents come."""
    documents = sorted(documents, key=lambda row: row.document_id)
    rng = np.random.default_rng(SPLIT_SEED)
    held = set(stratified_order(documents, rng)[number - 1 :: n_folds])
    rest = [row for i, row in enumerate(documents) if i not in held]
    train, dev = hold_out(rest, DEV_SHARE, rng)
    return Splits(train, dev, tuple(documents[i] for i in sorted(held)))


def parse_fold(fold: str) -> tuple[int, int]:
    """Return number of the fold, from 1, and number of folds.

    Raises:
        ConfigError: this is no fold.
    """
    first, _, second = fold.partition("/")
    if first.strip().isdecimal() and second.strip().isdecimal():
        number, n_folds = int(first), int(second)
        if 1 <= number <= n_folds and n_folds >= 2:
            return number, n_folds
    raise ConfigError(f"data.fold = {fold!r} is no fold: write “2/5” for the second of five.")
