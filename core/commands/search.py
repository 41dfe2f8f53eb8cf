"""`python -m core search`: the concepts that the search box of a page finds for words."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from typer import Argument, Option, Typer

from core.commands.options import PLAIN, refuse_both
from core.errors import ConfigError, VocabularyError
from core.serving.vocabularies import search_index
from core.settings import Settings
from core.suggest.opening import load_suggester
from core.suggest.related import ConceptSearch
from core.vocabulary.bounded import read_bounded
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.labels import LabelSpace
from core.vocabulary.search.hits import SearchHit
from core.vocabulary.versions.keeping import whole_vocabulary
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions

app = Typer(**PLAIN)


@app.command()
def search(
    words: Annotated[
        list[str] | None,
        Argument(
            metavar="WORDS", help="one query; without words, one query a line from standard input"
        ),
    ] = None,
    *,
    vocabulary: Annotated[
        str | None,
        Option(
            metavar="V",
            help="file or folder of a vocabulary, or the id of one that is imported or built in",
        ),
    ] = None,
    bundle: Annotated[
        Path | None,
        Option(
            help="folder of a model bundle, whose vocabulary is searched, and whose model adds "
            "what is related (STRATA_BUNDLE, or the bundle that is shipped)"
        ),
    ] = None,
    language: Annotated[
        str,
        Option(
            metavar="L",
            help="of the labels that are shown and come first; all languages are searched",
        ),
    ] = "en",
    limit: Annotated[int, Option(min=1, help="most hits a query")] = 20,
    as_json: Annotated[bool, Option("--json", help="a JSON line a query")] = False,
) -> None:
    """Search a vocabulary as the box of a page does; no hit is an answer, too."""
    refuse_both(vocabulary=vocabulary, bundle=bundle)
    if isinstance(sys.stdout, TextIOWrapper):
        # What UTF-8 lacks is an escape of JSON then.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    with ExitStack() as opened:
        searched = _opened(vocabulary, bundle, opened)
        for query in [" ".join(words)] if words else _lines():
            hits = searched.find(query, language=language, limit=limit)
            print(_json(query, hits) if as_json else _text(query, hits), flush=True)


def _opened(vocabulary: str | None, bundle: Path | None, opened: ExitStack) -> ConceptSearch:
    settings = Settings.from_env()
    home = settings.home
    if vocabulary:
        place = Path(vocabulary)
        if place.exists():
            home = Path(opened.enter_context(TemporaryDirectory()))
        hierarchy = _read(place, home) if place.exists() else _kept(vocabulary, home)
        return _searching(ConceptSearch, hierarchy, home, opened)
    bundle = bundle or settings.bundle_dir
    made = partial(ConceptSearch, suggester=partial(load_suggester, bundle))
    return _searching(made, _of_bundle(bundle, home), home, opened)


def _searching(
    made: type[ConceptSearch] | partial[ConceptSearch],
    hierarchy: Hierarchy,
    home: Path,
    opened: ExitStack,
) -> ConceptSearch:
    index = search_index(hierarchy, home)
    opened.callback(index.close)
    return made(index)


def _read(place: Path, home: Path) -> Hierarchy:
    paths = sorted(place.iterdir()) if place.is_dir() else [place]
    entry = read_bounded(paths, home=home).entry
    assert entry is not None
    return VocabularyVersions(home).load(entry.key)


def _kept(vocabulary_id: str, home: Path) -> Hierarchy:
    try:
        return whole_vocabulary(vocabulary_id, home)
    except VocabularyError as error:
        raise VocabularyError(f"There is no file {vocabulary_id}, and {error}") from error


def _of_bundle(bundle: Path, home: Path) -> Hierarchy:
    """Return the vocabulary of a bundle; all codes of a system, of which it may know few."""
    hierarchy = LabelSpace.load(bundle / "label_space.jsonl").hierarchy
    if not conventions_of(hierarchy.vocabulary_id).lexical:
        return hierarchy
    try:
        return whole_vocabulary(hierarchy.vocabulary_id, home)
    except VocabularyError as error:
        sys.stderr.write(f"Only the codes that the model knows are searched. {error}\n")
        return hierarchy


def _lines() -> Iterator[str]:
    """Yield the lines of standard input, which is UTF-8 wherever we are."""
    source = getattr(sys.stdin, "buffer", None)
    for number, line in enumerate(source if source is not None else sys.stdin, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8") if source else line
        except UnicodeDecodeError as error:
            raise ConfigError(f"Line {number} of standard input is not in UTF-8.") from error
        yield text.rstrip("\r\n")


def _json(query: str, hits: Sequence[SearchHit]) -> str:
    rows = [
        {
            "concept_id": hit.concept_id,
            "label": hit.label,
            "notation": hit.notation,
            "matched": hit.shown,
            "why": hit.why.value,
        }
        for hit in hits
    ]
    return json.dumps({"query": query, "hits": rows}, ensure_ascii=False)


def _text(query: str, hits: Sequence[SearchHit]) -> str:
    if not hits:
        return f"{query}: nothing found"
    return "\n".join([f"{query}:", *(f"  {_line(hit)}" for hit in hits)])


def _line(hit: SearchHit) -> str:
    notation = f"{hit.notation}  " if hit.notation else ""
    matched = f" “{hit.shown}”" if hit.shown not in ("", hit.label, hit.notation) else ""
    return f"{notation}{hit.label}  ({hit.why.value}{matched})"
