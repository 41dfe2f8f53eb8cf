"""Small files in the shapes in which code systems come; codes as they are, titles cut short."""

from __future__ import annotations

import zipfile
from pathlib import Path

TREE = """\
@\tICD9 Hierarchy Root
00-99.99\tPROCEDURES
99\tOther nonoperative procedures
99.1\tInjection or infusion
99.15\tParenteral infusion of nutrition
87-99.99\tMISCELLANEOUS PROCEDURES
001-999.99\tDISEASES AND INJURIES
240-279.99\tENDOCRINE DISEASES
250-259.99\tOTHER ENDOCRINE GLANDS
250\tDiabetes mellitus
250.0\tDiabetes mellitus without complication
250.00\ttype II diabetes, not stated as uncontrolled
780-799.99\tSYMPTOMS
786\tSymptoms of the respiratory system
786.2\tCough
786.3\tHemoptysis
V01-V86.99\tSUPPLEMENTARY FACTORS
V30-V39.99\tLIVEBORN INFANTS
V30\tSingle liveborn
V30.0\tSingle liveborn, in hospital
E800-E999.9\tEXTERNAL CAUSES
E880-E888.9\tACCIDENTAL FALLS
E885\tFall on same level
E8859\tFall from slipping
991.5\tChilblains
"""
DIAGNOSES = """\
24900 Secondary diabetes mellitus without complication
25000 Diabetes mellitus type II, not stated as uncontrolled
7862  Cough
78630 Hemoptysis, unspecified
78639 Other hemoptysis
9915  Chilblains
E8859 Fall from other slipping
V3000 Single liveborn in hospital, not by cesarean
V8701 Contact with arsenic
"""
PROCEDURES = """\
1711 Laparoscopic repair of direct hernia
1712 Laparoscopic repair of indirect hernia
9915 Parenteral infusion of nutrition
"""
TABLE = """\
"code", "description"
"1.","Intestinal diseases"
"249","Secondary diabetes mellitus"
"249.0","Secondary diabetes mellitus; Without mention of complication"
"786.30","Symptoms; Hemoptysis; Hemoptysis, unspecified"
"V87","Other personal exposures"
"V87.0","Other personal exposures; Exposure to metals"
"""
LIST = """\
Code,Parent,Label,Synonyms
A,,Ward rounds,
A1,A,Short round,quick visit | brief visit
A2,A,Long round,
"""


def write_tree(folder: Path) -> Path:
    """The titled tree with ranges."""
    return _written(folder / "tree.tsv", TREE)


def write_table(folder: Path) -> Path:
    """The table of paths of titles."""
    return _written(folder / "table.csv", TABLE)


def write_release(folder: Path) -> Path:
    """The zip of a release, in latin-1."""
    path = folder / "release.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("CMS32_DESC_LONG_DX.txt", DIAGNOSES.encode("latin-1"))
        archive.writestr("CMS32_DESC_LONG_SG.txt", PROCEDURES.encode("latin-1"))
        archive.writestr("CMS32_DESC_SHORT_DX.txt", b"0010 Not read")
    return path


def write_list(folder: Path, name: str = "rounds.csv", text: str = LIST) -> Path:
    """A table of codes of somebody's own."""
    return _written(folder / name, text)


def _written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
