"""A generated vocabulary of any size, and texts that make the fake model suggest all of it."""

from __future__ import annotations

import random
from itertools import product

from core.documents.document import Document

# id, label, broader ids, alternative labels, as in `tests.support.fakes.ROWS`.
Row = tuple[str, str, tuple[str, ...], tuple[str, ...]]

N_DOMAINS = 6
N_DIVISIONS = 5  # micro-thesauri in each domain
KINDS = (
    "coastal", "rural", "urban", "public", "private", "seasonal", "regional", "joint", "minor",
    "general", "special", "annual", "early", "direct", "common", "outer", "inner", "former",
    "mutual", "partial", "mobile", "fixed", "upper", "lower",
)  # fmt: skip
THINGS = (
    "fishery", "harbour", "forest", "railway", "school", "library", "market", "tax", "vaccine",
    "vineyard", "bridge", "museum", "quarry", "dairy", "tunnel", "archive", "reservoir", "orchard",
    "airport", "court",
)  # fmt: skip
FIRST_ID = 1001


def rows(n_concepts: int) -> tuple[Row, ...]:
    """Domains, micro-thesauri, and concepts in up to three levels; some stand in two places."""
    divisions = [f"m{number}" for number in range(N_DOMAINS * N_DIVISIONS)]
    found: list[Row] = [(f"d{n}", f"DOMAIN {n + 1}", (), ()) for n in range(N_DOMAINS)]
    found += [
        (division, f"division {n + 1}", (f"d{n % N_DOMAINS}",), ())
        for n, division in enumerate(divisions)
    ]
    labels = _labels(n_concepts)
    for number, label in enumerate(labels):
        broader = [_broader(number, divisions)]
        if number % 25 == 24:
            broader.append(divisions[(number * 7) % len(divisions)])
        name = (f"{label} (other name)",) if number % 3 == 0 else ()
        found.append((str(FIRST_ID + number), label, tuple(dict.fromkeys(broader)), name))
    return tuple(found)


def _broader(number: int, divisions: list[str]) -> str:
    """Of ten concepts, four stand under a micro-thesaurus, and the others under these."""
    ten, place = divmod(number, 10)
    if place < 4:
        return divisions[ten % len(divisions)]
    return str(FIRST_ID + 10 * ten + place - 4)


def _labels(n_concepts: int) -> list[str]:
    pairs = [f"{kind} {thing}" for thing, kind in product(THINGS, KINDS)]
    random.Random(4).shuffle(pairs)
    again = n_concepts // len(pairs) + 1
    numbered = [f"{pair} {n}" if n else pair for n in range(again) for pair in pairs]
    return numbered[:n_concepts]


def act(number: int, n_words: int = 600) -> Document:
    """A text of the vocabulary's words, some far more often than others."""
    generator = random.Random(number)
    weights = [generator.random() ** 3 for _ in KINDS]
    others = [generator.random() ** 3 for _ in THINGS]
    n_pairs = n_words // 6
    pairs = zip(
        generator.choices(KINDS, weights, k=n_pairs),
        generator.choices(THINGS, others, k=n_pairs),
        strict=True,
    )
    sentences = [f"Rules on the {kind} {thing} apply." for kind, thing in pairs]
    paragraphs = [" ".join(sentences[at : at + 8]) for at in range(0, len(sentences), 8)]
    return Document.from_text(
        f"act-{number}", f"Act {number} on many things", "\n\n".join(paragraphs)
    )
