"""What training texts say of codes: how often a name was right there, and a code was given, and
beside which phrases.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.clinical.ranking.phrases import LearnedPhrases
from core.model.bundle.manifest import BUNDLE

FILE = "code_counts.json"


@dataclass(frozen=True, slots=True)
class CodeCounts:
    """Counts over training documents; of codes that are not in them nothing is known.

    Attributes:
        n_documents: that were counted.
        named: in how many the name of a code stands, and is not denied.
        right: of these, in how many the code was given.
        given: in how many the code was given.
        learned: codes that a model has learned; empty where there is no model.
        phrases: beside which codes were given.
    """

    n_documents: int = 0
    named: Mapping[str, int] = field(default_factory=dict)
    right: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    learned: frozenset[str] = frozenset()
    phrases: LearnedPhrases = field(default_factory=LearnedPhrases)

    @classmethod
    def of(
        cls,
        documents: Iterable[tuple[Iterable[str], Iterable[str]]],
        learned: Iterable[str] = (),
    ) -> CodeCounts:
        """Count documents by the codes that they name and the codes that they were given."""
        named: Counter[str] = Counter()
        right: Counter[str] = Counter()
        given: Counter[str] = Counter()
        n_documents = 0
        for names, codes in documents:
            stand, have = set(names), set(codes)
            n_documents += 1
            named.update(stand)
            right.update(stand & have)
            given.update(have)
        return cls(n_documents, dict(named), dict(right), dict(given), frozenset(learned))

    def save(self, directory: Path) -> None:
        """Write `code_counts.json`, and beside it the phrases."""
        codes = sorted({*self.named, *self.given, *self.learned})
        rows = {
            code: [
                self.named.get(code, 0),
                self.right.get(code, 0),
                self.given.get(code, 0),
                int(code in self.learned),
            ]
            for code in codes
        }
        text = json.dumps({"documents": self.n_documents, "codes": rows}, separators=(",", ":"))
        (directory / FILE).write_text(text + "\n", "utf-8")
        self.phrases.save(directory)

    @classmethod
    def load(cls, directory: Path) -> CodeCounts:
        """Read what `save` wrote.

        Raises:
            BundleError: the file is missing or damaged.
        """
        with BUNDLE.translated(
            "The counts of codes in {directory} are damaged ({reason}). Get the bundle again.",
            directory=directory,
        ):
            content = json.loads((directory / FILE).read_text("utf-8"))
            rows = {str(code): [int(n) for n in row] for code, row in content["codes"].items()}
            named, right, given = (
                {code: row[n] for code, row in rows.items() if row[n]} for n in range(3)
            )
            learned = frozenset(code for code, row in rows.items() if row[3])
            n_documents = int(content["documents"])
        phrases = LearnedPhrases.load(directory)
        return cls(n_documents, named, right, given, learned, phrases)
