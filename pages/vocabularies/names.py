"""What people call vocabularies: by names that are known, or that their files state."""

from __future__ import annotations

from core.clinical.notation import ICD9CM, ICD10CM, ICD10PCS
from core.vocabulary.conventions import conventions_of
from pages.serving import running_server

CHECKSUM = "sha256-"  # in place of the version of a vocabulary that states none
NAMES = {
    "eurovoc": "EuroVoc",
    "stw": "STW",
    "tiny": "Tiny",
    ICD9CM: "ICD-9-CM",
    ICD10CM: "ICD-10-CM",
    ICD10PCS: "ICD-10-PCS",
}


def title_of(vocabulary_id: str) -> str:
    """Return a vocabulary by its name, where it has one of its own.

    It may be of a file, so Markdown needs it escaped.
    """
    if vocabulary_id in NAMES:
        return NAMES[vocabulary_id]
    return running_server().versions.titles().get(vocabulary_id, vocabulary_id)


def version_name(version: str) -> str:
    """Return a version as people read it; a vocabulary may state none, and has a checksum then."""
    return "a version without a name" if version.startswith(CHECKSUM) else f"version {version}"


def without_model(vocabulary_id: str) -> str:
    """Return what suggests from a vocabulary where no model does, as a part of a sentence."""
    if conventions_of(vocabulary_id).lexical:
        return "names of codes in the text, and what was decided here on similar documents"
    return "labels in the text, and what was decided here on similar documents"
