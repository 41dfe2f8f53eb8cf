"""ICD-9-CM and ICD-10-CM as hierarchies, to measure search on code systems of real size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ConfigError
from core.vocabulary.concepts import Concept, Hierarchy

_ROOT = "@"


def icd9cm(path: Path) -> Hierarchy:
    """ICD-9-CM from a table of code and title; the tree follows from ranges and code prefixes.

    Raises:
        ConfigError: the table cannot be read.
    """
    try:
        rows = [line.split("\t", 1) for line in path.read_text("utf-8").splitlines() if line]
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read ({exc.strerror}).") from exc
    titles = {code: title for code, title in rows if code != _ROOT}
    ranges = [Range.of(code) for code in titles if "-" in code]
    return Hierarchy(
        [
            _concept(code, title, broader=_broader(code, titles, ranges))
            for code, title in titles.items()
        ],
        vocabulary_id="icd9cm",
        version="v32",
    )


def icd10cm() -> Hierarchy:
    """ICD-10-CM of the package `simple-icd-10-cm`, with its inclusion terms as alternative labels.

    Raises:
        ConfigError: the package is not installed.
    """
    try:
        import simple_icd_10_cm as icd
    except ImportError as exc:
        raise ConfigError("simple-icd-10-cm is missing: see requirements-dev.txt.") from exc
    concepts = []
    for code in dict.fromkeys(icd.get_all_codes(True)):  # a block of one category has its code
        above = icd.get_parent(code)
        if above == code:
            above = icd.get_ancestors(code)[-1]
        terms = tuple(dict.fromkeys(icd.get_inclusion_term(code)))
        concepts.append(_concept(code, icd.get_description(code), terms, (above,) if above else ()))
    return Hierarchy(concepts, vocabulary_id="icd10cm", version="simple-icd-10-cm")


def _concept(
    code: str, title: str, terms: tuple[str, ...] = (), broader: tuple[str, ...] = ()
) -> Concept:
    alt_labels = {"en": terms} if terms else {}
    return Concept(code, f"urn:icd:{code}", code, {"en": title}, alt_labels, broader)


def _broader(code: str, titles: Mapping[str, str], ranges: Sequence[Range]) -> tuple[str, ...]:
    """The longest code that this one goes on from, or the narrowest range around it."""
    if "-" not in code:
        whole, _, digits = code.partition(".")
        shorter = (f"{whole}.{digits[:n]}" for n in range(len(digits) - 1, 0, -1))
        for candidate in (*shorter, whole):
            if candidate != code and candidate in titles:
                return (candidate,)
    own = Range.of(code)
    around = [other for other in ranges if other.holds(own)]
    return (min(around, key=lambda other: other.end - other.start).code,) if around else ()


@dataclass(frozen=True, slots=True)
class Range:
    """A span of codes of one kind.

    Attributes:
        kind: diagnoses have three digits before the point, procedures two; E and V codes a letter.
    """

    code: str
    kind: str
    start: float
    end: float

    @classmethod
    def of(cls, code: str) -> Range:
        """The span of a range, or of a single code."""
        first, _, last = code.partition("-")
        whole = first.partition(".")[0]
        kind = whole[0] if whole[0].isalpha() else str(len(whole))
        start = float(first.lstrip("EV"))
        return cls(code, kind, start, float(last.lstrip("EV")) if last else start)

    def holds(self, other: Range) -> bool:
        """Whether the other lies in this one, and is not the same span."""
        return (
            self.kind == other.kind
            and self.start <= other.start
            and other.end <= self.end
            and (self.start, self.end) != (other.start, other.end)
        )
