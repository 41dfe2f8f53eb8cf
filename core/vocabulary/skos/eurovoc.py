"""EuroVoc's divisions: domains become level 1 and micro-thesauri level 2, as in the literature.

In the file a domain is a concept of the scheme `.../domains`, and a micro-thesaurus is a concept
scheme whose notation, or else label, begins with four digits, the first two being its domain's.
Source: Manginas et al. (2020), section 4, and the structure of the official SKOS-core file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.vocabulary.repairs import Repair
from core.vocabulary.skos.statements import Statements

_DOMAIN_CODE = re.compile(r"\d\d(?!\d)")
_THESAURUS_CODE = re.compile(r"\d{4}(?!\d)")


@dataclass(frozen=True, slots=True)
class Divisions:
    """What stands above the descriptors.

    Attributes:
        domains, thesauri: code by URI.
        edges: (narrower, broader) from descriptors to micro-thesauri and from these to domains.
    """

    domains: dict[str, str]
    thesauri: dict[str, str]
    edges: list[tuple[str, str]]
    mended: list[Repair]


def divisions(statements: Statements) -> Divisions | None:
    """EuroVoc's domains and micro-thesauri, or None where the file has no such structure."""
    domains = _codes(statements, _domain_uris(statements), _DOMAIN_CODE)
    numbered = _codes(statements, statements.schemes, _THESAURUS_CODE)
    by_code = {code: uri for uri, code in domains.items()}
    if not any(code[:2] in by_code for code in numbered.values()):
        return None
    edges, mended = _domains_of(statements, numbered, domains, by_code)
    return Divisions(domains, numbered, edges + _thesauri_of(statements, numbered), mended)


def _domain_uris(statements: Statements) -> dict[str, None]:
    pairs = [*statements.member_of, *statements.top_of]
    return {concept: None for concept, scheme in pairs if _is_domain_scheme(scheme)}


def _is_domain_scheme(uri: str) -> bool:
    return uri.rstrip("/#").replace("#", "/").endswith("/domains")


def _codes(statements: Statements, uris: dict[str, None], code: re.Pattern[str]) -> dict[str, str]:
    """Return the number that the notation, or else a label, of each of them begins with."""
    codes = {}
    for uri in uris:
        labels = (text for _, text in statements.pref.get(uri, []))
        matches = (code.match(text) for text in (statements.notation.get(uri, ""), *labels))
        first = next((match for match in matches if match), None)
        if first:
            codes[uri] = first.group()
    return codes


def _domains_of(
    statements: Statements,
    thesauri: dict[str, str],
    domains: dict[str, str],
    by_code: dict[str, str],
) -> tuple[list[tuple[str, str]], list[Repair]]:
    """Return the domain of each micro-thesaurus, by its link or else by its number."""
    linked = {source: target for source, target in statements.links if target in domains}
    edges = []
    mended = []
    for uri, code in thesauri.items():
        domain = linked.get(uri) or by_code.get(code[:2])
        if domain:
            edges.append((uri, domain))
        else:
            problem = f"the micro-thesaurus {code} ({uri}) belongs to no domain of the file"
            mended.append(Repair(uri, problem, "it was put at the top"))
    return edges, mended


def _thesauri_of(statements: Statements, thesauri: dict[str, str]) -> list[tuple[str, str]]:
    """Top concepts are below their micro-thesauri, and so are members without a broader one."""
    edges = {(c, s): None for c, s in statements.top_of if s in thesauri}
    placed = {narrower for narrower, _ in [*statements.edges, *edges]}
    edges.update(
        {(c, s): None for c, s in statements.member_of if s in thesauri and c not in placed}
    )
    return list(edges)
