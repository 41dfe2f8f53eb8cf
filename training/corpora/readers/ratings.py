"""Readers of rated reviews: IMDB with its 10 ratings, and Yelp 2014 with its 5.

Two layouts. Hedwig's train.tsv, dev.tsv and test.tsv, where the place of the 1 among 10 or 5
figures is the rating; and reviews as JSON Lines (also .json, or gzipped), with `stars` (or
`rating`) and `text` (or `review`), as Yelp's yelp_academic_dataset_review.json. Reviews that come
without splits are split at random, 80 % train, 10 % dev and 10 % test, as Yang et al. (2016) and
Adhikari et al. (2019) did; who drew which was not published, so the figures are of other draws.
Reviews are read line by line: what stays in memory is their texts.
Source: Diao et al. (2014) for IMDB, the Yelp Dataset Challenge of 2014 for Yelp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, checksums, without_leaks
from training.corpora.readers.hedwig import read_rows, tsv_files
from training.corpora.records import (
    ROW_ID,
    CollectedDocuments,
    Record,
    RecordError,
    collect,
    corpus_of,
    id_field,
    json_lines,
    text_field,
    with_ids,
)
from training.corpora.sampling import repeated_texts, split_in_tenths

RATING_FIELDS, TEXT_FIELDS, ID_FIELDS = ("stars", "rating"), ("text", "review"), ("review_id", "id")
JSON_SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")
IMDB_RATINGS, YELP_STARS = 10, 5

_UNITS = {"imdb10": "of 10", "yelp2014": "of 5 stars"}


def read_imdb10(path: Path) -> Corpus:
    """Read the reviews of IMDB by their rating, 1 to 10.

    Args:
        path: of one file of reviews, or a folder of either layout.
    Raises:
        ConfigError: there is no such file.
        DocumentError: most reviews of a file are unusable, or there are too few to be split.
    """
    return _read("imdb10", path, IMDB_RATINGS)


def read_yelp2014(path: Path) -> Corpus:
    """Read the reviews of Yelp by their stars, 1 to 5; the rest as of `read_imdb10`."""
    return _read("yelp2014", path, YELP_STARS)


def parse_review(record: Record, *, ratings: Mapping[str, str]) -> LabelledDocument:
    """Return one review with its rating.

    Args:
        ratings: those that are given, each once in memory however many reviews have it.
    Raises:
        RecordError: it has no text, or none of the ratings.
    """
    text = text_field(record, *TEXT_FIELDS)
    if not text:
        raise RecordError("the review has no text")
    rating = rating_of(record)
    if rating not in ratings:
        raise RecordError(f"the rating is {rating!r}, none of 1 to {len(ratings)}")
    document = Document.from_text(id_field(record, *ID_FIELDS, ROW_ID), "", text)
    return LabelledDocument(document, (ratings[rating],), text_field(record, "date"))


def rating_of(record: Record) -> str:
    """Return the rating as a whole number, the same for 4, "4" and 4.0; "" where there is none."""
    value = next((record[name] for name in RATING_FIELDS if record.get(name) is not None), "")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().removesuffix(".0")


def _read(name: str, path: Path, n_ratings: int) -> Corpus:
    ratings = {str(number): str(number) for number in range(1, n_ratings + 1)}
    tables = {} if path.is_file() else tsv_files(path)
    if "train" in tables:
        files: Mapping[Path, str] = {file: split for split, file in tables.items()}
        read = {s: read_rows(f, s, list(ratings), one_class=True) for f, s in files.items()}
    else:
        files = review_files(path)
        read = _reviews(files, ratings)
    remaining, leaks = without_leaks({s: read[s].documents if s in read else () for s in SPLITS})
    remarks: Sequence[str] = ()
    if not (remaining["dev"] or remaining["test"]):
        drawn, remarks = split_in_tenths(remaining["train"])
        remaining = drawn._asdict()
    corpus = corpus_of(
        name,
        remaining,
        sha256=checksums(files),
        problems=(*(problem for of in read.values() for problem in of.problems), *leaks),
        labels={rating: f"{rating} {_UNITS[name]}" for rating in ratings},
        remarks=remarks,
    )
    return replace(corpus, remarks=(*corpus.remarks, *repeated_texts(corpus)))


def review_files(path: Path) -> dict[Path, str]:
    """Return the files of reviews as JSON Lines, each with its split.

    Of several that are not called train, dev and test, the one called review: Yelp's archive has
    businesses and users beside it.

    Raises:
        ConfigError: there is none, or it is not clear which one is meant.
    """
    paths = [path] if path.is_file() else sorted(path.iterdir())
    files = [file for file in paths if file.name.endswith(JSON_SUFFIXES)]
    splits = {file: name for file in files if (name := file.name.partition(".")[0]) in SPLITS}
    if "train" in splits.values():
        return splits
    chosen = files if len(files) == 1 else [file for file in files if "review" in file.name]
    if len(chosen) == 1:
        return {chosen[0]: "train"}
    raise ConfigError(
        f"{path} has neither train.tsv nor one file of reviews as JSON Lines "
        f"({', '.join(JSON_SUFFIXES)}), but {len(files)} that may be: name the file."
    )


def _reviews(
    files: Mapping[Path, str], ratings: Mapping[str, str]
) -> dict[str, CollectedDocuments]:
    parse = partial(parse_review, ratings=ratings)
    return {
        split: collect(with_ids(json_lines(file), split), parse, file)
        for file, split in files.items()
    }
