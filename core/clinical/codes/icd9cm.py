"""ICD-9-CM, diagnoses and procedures, as one tree of chapters, ranges, categories and codes.

The tree follows from the codes: what stands below a code goes on from it (`250.0`, `250.00`), and
a category lies in the narrowest range that holds it (`240-246.99` in `240-279.99`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from core.clinical.codes.icd9cm_files import TitledCodes, other_files, read_titles
from core.clinical.codes.reading import CodeReading
from core.clinical.notation import ICD9CM, CodeRange
from core.errors import VocabularyError
from core.paths import PROJECT_ROOT
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.folding import fold_text
from core.vocabulary.reading import VocabularyFiles, VocabularyReader
from core.vocabulary.repairs import Repair

# The last release, and the titles of divisions and codes as its tree has them; see the README there.
RELEASE = PROJECT_ROOT / "assets" / "code_systems" / "icd9cm.zip"
TREE = RELEASE.with_name("icd9cm_tree.tsv")
URI_BASE = f"{conventions_of(ICD9CM).system}/"
_KINDS = ("3", "V", "E", "2")  # the order of the book
_TELLING = 6  # letters; words that short, and these, say little of what a title is about
_UNTELLING = {"mention", "specified", "unspecified", "without"}
# Words with which a title begins that goes on from another.
_GOES_ON = {"at", "by", "closed", "due", "during", "following", "from", "in", "involving", "not",
            "of", "on", "open", "other", "to", "unspecified", "with", "without"}  # fmt: skip
Broader = dict[str, str]


def read_icd9cm(paths: Sequence[Path | str]) -> CodeReading:
    """Return the union of any of the files that ICD-9-CM comes in.

    Codes that the titled tree does not have go below the longest code that they go on from; a
    division that no file titles is named after the codes below it. Where the release is among the
    files, only its codes can be assigned, or else every code that has none below it.

    Raises:
        VocabularyError: a file cannot be read, or none of ICD-9-CM is there.
    """
    titled_codes = read_titles([Path(path) for path in paths])
    titled = {
        **_whole(titled_codes.table, titled_codes.tree),
        **titled_codes.tree,
        **titled_codes.released,
    }
    ordered = _in_order({*titled, *_divisions(titled)})
    broader = _broader(ordered)
    untitled = _titles_after_codes_below(
        [code for code in ordered if code not in titled], broader, titled
    )
    names = {**titled, **untitled}
    divided = set(broader.values())
    codes = dict.fromkeys(code for code in ordered if "-" not in code and code not in divided)
    hierarchy = Hierarchy(
        [_concept(code, names[code], titled_codes, broader, codes) for code in ordered],
        vocabulary_id=ICD9CM,
        version=f"v{titled_codes.release}" if titled_codes.release else "titled",
        uri_base=URI_BASE,
    )
    return CodeReading(
        hierarchy,
        attached=list(_attached(ordered, titled_codes, broader)),
        untitled=[
            _repair(code, "has no title in the files", f"it is called “{name}”")
            for code, name in untitled.items()
        ],
        repaired=[
            *titled_codes.guessed,
            *(
                _repair(text, "is no code of ICD-9-CM", "it was left out")
                for text in titled_codes.strange
            ),
            *_not_released(codes, titled_codes),
        ],
        schemes=[conventions_of(ICD9CM).system],
    )


def _whole(table: Mapping[str, str], tree: Mapping[str, str]) -> Broader:
    """Titles of the table as names: what goes on from its category's title is put behind it.

    "Open without mention of intracranial injury" is of "Other and unqualified skull fractures".
    """
    names = {}
    for code, title in table.items():
        category = code.partition(".")[0] if "." in code else ""
        above = tree.get(category) or table.get(category, "")
        names[code] = f"{above}; {title}" if above and _says_little_alone(title, above) else title
    return names


def _says_little_alone(title: str, above: str) -> bool:
    words = fold_text(title).split()
    begins = len(words) == 1 or (bool(words) and words[0] in _GOES_ON)
    return begins and not _telling_words(title) & _telling_words(above)


def _telling_words(title: str) -> set[str]:
    return {word for word in fold_text(title).split() if len(word) >= _TELLING} - _UNTELLING


def _divisions(codes: Iterable[str]) -> Iterator[str]:
    """Yield what codes go on from: of 250.00 these are 250.0 and 250."""
    for code in codes:
        if "-" not in code:
            yield from _shorter_codes(code)


def _shorter_codes(code: str) -> list[str]:
    whole, _, digits = code.partition(".")
    return [*(f"{whole}.{digits[:n]}" for n in range(len(digits) - 1, 0, -1)), whole][: len(digits)]


def _in_order(codes: Iterable[str]) -> list[str]:
    """Return as in the book: diagnoses, V, E, procedures; every range before what is in it."""
    spans = sorted(
        map(CodeRange.of, codes),
        key=lambda code_range: (
            _KINDS.index(code_range.kind),
            code_range.start,
            -code_range.width,
            len(code_range.code),
            code_range.code,
        ),
    )
    return [span.code for span in spans]


def _broader(codes: Sequence[str]) -> Broader:
    """Return what each goes below; what lies in no range goes to the widest of its kind."""
    listed = set(codes)
    ranges: dict[str, list[CodeRange]] = defaultdict(list)
    for code in codes:
        if "-" in code:
            ranges[CodeRange.of(code).kind].append(CodeRange.of(code))
    broader = {}
    for code in codes:
        # A range goes on from no other, though 240-279 may stand beside 240-279.99.
        shorter = [] if "-" in code else _shorter_codes(code)
        above = next((text for text in shorter if text in listed), None) or _around(code, ranges)
        if above is not None:
            broader[code] = above
    return broader


def _around(code: str, ranges: Mapping[str, list[CodeRange]]) -> str | None:
    code_range = CodeRange.of(code)
    of_kind = ranges[code_range.kind]
    around = [span for span in of_kind if span.holds(code_range)]
    if around:
        return min(around, key=lambda span: span.width).code
    widest = max(of_kind, key=lambda span: span.width, default=None)
    return widest.code if widest is not None and widest.code != code else None


def _titles_after_codes_below(
    untitled: Sequence[str], broader: Broader, titled: Mapping[str, str]
) -> dict[str, str]:
    below: dict[str, list[str]] = {code: [] for code in untitled}
    for code in titled:
        above = broader.get(code)
        while above is not None:
            if above in below:
                below[above].append(code)
            above = broader.get(above)
    return {
        code: f"{_shared_beginning(codes, titled)} (no title in the files)"
        for code, codes in below.items()
    }


def _shared_beginning(codes: Sequence[str], titled: Mapping[str, str]) -> str:
    columns = zip(*(titled[code].split() for code in codes), strict=False)
    words = [words[0] for words in takewhile(lambda words: len({*words}) == 1, columns)]
    if words:
        return f"{' '.join(words).rstrip(',')} …"
    return f"Codes {min(codes)} to {max(codes)}"


def _concept(
    code: str, title: str, titled_codes: TitledCodes, broader: Broader, codes: Collection[str]
) -> Concept:
    # A title of the table is no other name: "Unspecified, open" goes on from "Fracture of pelvis",
    # and would be found by its own in every text that has the word "open".
    other = titled_codes.tree.get(code, "")
    is_name = " " in other and fold_text(other) != fold_text(title)
    return Concept(
        concept_id=code,
        uri=URI_BASE + code,
        notation=code,
        pref_label={"en": title},
        alt_labels={"en": (other,)} if is_name else {},
        broader=(broader[code],) if code in broader else (),
        assignable=code in codes and (not titled_codes.released or code in titled_codes.released),
    )


def _attached(
    codes: Iterable[str], titled_codes: TitledCodes, broader: Broader
) -> Iterator[Repair]:
    """Yield what the titled tree does not have; nothing where there is no such tree."""
    if titled_codes.tree:
        for code in codes:
            if code not in titled_codes.tree:
                place = (
                    f"it was put below {broader[code]}" if code in broader else "it is at the top"
                )
                yield _repair(code, "is not in the titled tree", place)


def _not_released(codes: Iterable[str], titled_codes: TitledCodes) -> Iterator[Repair]:
    """Codes of other files that the release has no more; nothing where no release was read."""
    if titled_codes.released:
        for code in codes:
            if code not in titled_codes.released:
                problem = f"is not in release {titled_codes.release}, nor is a code below it"
                yield _repair(code, problem, "it cannot be assigned")


def _repair(code: str, problem: str, action: str) -> Repair:
    return Repair(URI_BASE + code, f"{code} {problem}", action)


def _read(files: VocabularyFiles) -> CodeReading:
    others = other_files(files)
    if others:
        raise VocabularyError(
            f"{', '.join(others)}: only the files of ICD-9-CM are read together; "
            "read other vocabularies one by one."
        )
    return read_icd9cm(files.paths)


READER = VocabularyReader(
    "ICD-9-CM",
    ("zip", "tsv", "csv", "txt"),
    # Several files can be nothing else: `_read` says which of them are not of ICD-9-CM.
    can_read=lambda files: files.single is None or not other_files(files),
    read=_read,
)
