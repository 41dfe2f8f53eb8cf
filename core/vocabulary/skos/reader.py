"""Reads any SKOS vocabulary into concepts and their hierarchy, with a list of repairs."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy, may_be_id
from core.vocabulary.links import inverse, longest_paths, refuse_deep
from core.vocabulary.reading import Progress, labels_by_language
from core.vocabulary.repairs import (
    Repair,
    bridge,
    known_links,
    past_collections,
    transitive_reduction,
    without_cycles,
)
from core.vocabulary.skos.eurovoc import Divisions, divisions
from core.vocabulary.skos.labelled_concepts import LabelledConcepts, label_concepts
from core.vocabulary.skos.parsing import gather_statements
from core.vocabulary.skos.statements import Statements

MOST_TITLE_CHARACTERS = 60
MOST_VERSION_CHARACTERS = 100  # some state a paragraph
OF_WITHDRAWN = re.compile(r"deprecated|obsolete|withdrawn", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SkosReading:
    """A vocabulary and what was met while reading it.

    Attributes:
        n_concepts: all with a label, the deprecated among them.
        n_edges: pairs (narrower, broader) between these.
        schemes: URIs of the concept schemes that are declared or used.
        languages: number of labels by language ("" = none), in the order of the codes.
    """

    hierarchy: Hierarchy
    mended: list[Repair]
    schemes: list[str]
    languages: dict[str, int]
    n_concepts: int
    n_edges: int

    @property
    def deprecated(self) -> int:
        """Number of concepts that are not offered any more."""
        return len(self.hierarchy.deprecated)

    @property
    def figures(self) -> Mapping[str, int]:
        """Nothing but what is counted of all vocabularies."""
        return {}


def read_skos(path: str | Path, *, on_progress: Progress | None = None) -> SkosReading:
    """Read an RDF/XML, Turtle or N-Triples file, plain, gzipped or alone in a zip.

    Args:
        on_progress: called now and then with the share of the file that was read, in [0, 1].
    Raises:
        VocabularyError: the file cannot be read, is no RDF, or holds no concept.
    """
    path = Path(path)
    statements = gather_statements(path, on_progress)
    divided = divisions(statements)
    named = label_concepts(statements, divided, path)
    pairs, mended = _hierarchy_links(statements, named, divided)
    concepts = _concepts(statements, named, pairs, divided)
    uri_base = _uri_base(named.pref)
    is_eurovoc = divided is not None and "eurovoc" in uri_base
    hierarchy = Hierarchy(
        concepts,
        vocabulary_id="eurovoc" if is_eurovoc else _vocabulary_id(statements, path),
        version=_version(statements, divided) or _fingerprint(concepts),
        uri_base=uri_base,
        scheme_uri=_scheme_uri(statements),
        title=_title(statements),
    )
    if not len(hierarchy):
        raise VocabularyError(f"{path} holds only deprecated concepts; none could be offered.")
    return SkosReading(
        hierarchy=hierarchy,
        mended=[*named.mended, *(divided.mended if divided else []), *mended],
        schemes=list(statements.schemes),
        languages=labels_by_language(concepts),
        n_concepts=len(concepts),
        n_edges=len(pairs),
    )


def _hierarchy_links(
    statements: Statements, named: LabelledConcepts, divided: Divisions | None
) -> tuple[list[tuple[str, str]], list[Repair]]:
    """Return the (narrower, broader) pairs between labelled concepts, without cycles."""
    names = named.names
    stated = past_collections(
        statements.edges or statements.transitive, statements.members, named.collections
    )
    pairs, mended = known_links(stated, names, named.others)
    pairs = bridge(pairs, named.unlabelled)
    if divided:
        pairs += [pair for pair in divided.edges if pair[0] in named.pref and pair[1] in named.pref]
    pairs, cut = without_cycles(list(dict.fromkeys(pairs)), names)
    links = _broader(names, pairs)
    refuse_deep(links, longest_paths(links, inverse(links)), names.__getitem__)
    if not statements.edges:
        pairs = transitive_reduction(pairs)
    return pairs, mended + cut


def _broader(uris: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    broader: dict[str, list[str]] = {uri: [] for uri in uris}
    for narrower, above in pairs:
        broader[narrower].append(above)
    return broader


def _concepts(
    statements: Statements,
    named: LabelledConcepts,
    pairs: Iterable[tuple[str, str]],
    divided: Divisions | None,
) -> list[Concept]:
    uris = _stable_uris(named.pref)
    short = concept_ids(uris.values())
    ids = {uri: short[own] for uri, own in uris.items()}
    broader = _broader(named.pref, pairs)
    codes = {**divided.domains, **divided.thesauri} if divided else {}
    related = _partners([*statements.related, *((b, a) for a, b in statements.related)], ids)
    replaced_by = _partners(statements.replaced_by, ids)
    return [
        Concept(
            concept_id=ids[uri],
            uri=uris[uri],
            notation=statements.notation.get(uri, codes.get(uri)),
            pref_label=labels,
            alt_labels=named.alt[uri],
            hidden_labels=named.hidden[uri],
            broader=tuple(ids[above] for above in broader[uri]),
            deprecated=uri in statements.deprecated,
            assignable=uri not in codes,
            notes=_notes(statements, uri),
            related=related.get(uri, ()),
            replaced_by=replaced_by.get(uri, ()),
        )
        for uri, labels in named.pref.items()
    ]


def _stable_uris(labels: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the URI of each concept; one that has none goes by its preferred labels.

    By its place in the file, it would be another concept in the next version.
    """
    uris: dict[str, str] = {}
    taken: set[str] = set()
    for uri, preferred in labels.items():
        if not uri.startswith("_:"):
            uris[uri] = uri
            continue
        digest = hashlib.sha256(repr(sorted(preferred.items())).encode()).hexdigest()
        own = f"_:{digest[:16]}"
        uris[uri] = uri if own in taken else own
        taken.add(own)
    return uris


def _partners(
    pairs: Iterable[tuple[str, str]], ids: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Ids of the concepts that each concept is paired with, in the order of the file."""
    by_uri: dict[str, dict[str, None]] = {}
    for uri, other in pairs:
        if uri in ids and other in ids and uri != other:
            by_uri.setdefault(uri, {})[ids[other]] = None
    return {uri: tuple(others) for uri, others in by_uri.items()}


def _notes(statements: Statements, uri: str) -> dict[str, dict[str, tuple[str, ...]]]:
    notes: dict[str, dict[str, tuple[str, ...]]] = {}
    for kind, by_uri in statements.notes.items():
        for language, text in dict.fromkeys(by_uri.get(uri, ())):
            by_language = notes.setdefault(kind, {})
            by_language[language] = (*by_language.get(language, ()), text)
    return notes


def concept_ids(uris: Iterable[str]) -> dict[str, str]:
    """Return a short id for each URI: its last segment, or all of it where two end alike.

    What no decision can be stored with, as it is too long or not printable, is a checksum of it.
    """
    segments = {uri: _segment(uri) for uri in uris}
    uses = Counter(segments.values())
    ids = {uri: last if last and uses[last] == 1 else uri for uri, last in segments.items()}
    return {
        uri: own if may_be_id(own) else hashlib.sha256(uri.encode()).hexdigest()[:16]
        for uri, own in ids.items()
    }


def _segment(uri: str) -> str:
    whole = uri.rstrip("/#")
    return whole[max(whole.rfind("/"), whole.rfind("#")) + 1 :]


def _vocabulary_id(statements: Statements, path: Path) -> str:
    """Return the last word of the scheme with most concepts, or else the file's name.

    A scheme of what was withdrawn gives its name only where there is no other, and then the word
    before: `…/animals/deprecatedconceptscheme` is of animals.
    """
    ordered = _by_size(statements)
    in_use = _in_use(ordered)
    largest = next(iter([*in_use, *ordered]), "")
    if not in_use and "/" in largest:
        largest = largest.rstrip("/#")[: -len(_segment(largest))]
    name = "" if largest.startswith("_:") or largest.endswith("://") else _segment(largest)
    return (
        re.sub(r"[^a-z0-9]+", "-", (name or path.name.partition(".")[0]).lower()).strip("-")
        or "vocabulary"
    )


def _by_size(statements: Statements) -> list[str]:
    sizes = Counter(scheme for _, scheme in [*statements.member_of, *statements.top_of])
    sizes.update(dict.fromkeys(statements.schemes, 0))
    return [scheme for scheme, _ in sizes.most_common()]


def _in_use(schemes: Iterable[str]) -> list[str]:
    return [scheme for scheme in schemes if not OF_WITHDRAWN.search(_segment(scheme))]


def _scheme_uri(statements: Statements) -> str:
    """Return the scheme with most concepts that is not of what was withdrawn; "" without one."""
    named = (scheme for scheme in _in_use(_by_size(statements)) if not scheme.startswith("_:"))
    return next(named, "")


def _title(statements: Statements) -> str:
    """Return the name of the scheme with most concepts, in English where it has one; "" without."""
    scheme = next(iter(_in_use(_by_size(statements))), "")
    kinds = (
        labels.get(scheme, []) for labels in (statements.pref, statements.other, statements.titles)
    )
    stated: dict[str, str] = {}
    for language, text in next(filter(None, kinds), []):
        stated.setdefault(language, text)
    varieties = (language for language in stated if language.startswith("en-"))
    wanted = ("en", "", *varieties, *stated)
    title = next((stated[language] for language in wanted if language in stated), "")
    is_long = len(title) > MOST_TITLE_CHARACTERS
    return f"{title[: MOST_TITLE_CHARACTERS - 1].rstrip()}…" if is_long else title


def _version(statements: Statements, divided: Divisions | None) -> str:
    """Return the version of the largest scheme that states one, or a date."""
    sizes = Counter(scheme for _, scheme in statements.member_of)
    stated = [s for s in statements.schemes if s in statements.versions]
    stated = [s for s in stated if not (divided and s in divided.thesauri)] or stated
    version = statements.versions[max(stated, key=lambda s: sizes[s])][0] if stated else ""
    return " ".join(version.split())[:MOST_VERSION_CHARACTERS].rstrip()


def _fingerprint(concepts: Iterable[Concept]) -> str:
    """Return a version for a file that states none: the same content gets the same."""
    digest = hashlib.sha256()
    for concept in concepts:
        digest.update(repr(concept).encode())
    return f"sha256-{digest.hexdigest()[:12]}"


def _uri_base(uris: Iterable[str]) -> str:
    bases = Counter(uri[: len(uri) - len(_segment(uri))] for uri in uris)
    return bases.most_common(1)[0][0]
