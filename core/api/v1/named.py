"""What a request names: a project, its vocabulary, the language of labels, and texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.api.v1.messages import ProblemError, bad_request, unavailable, unknown_project
from core.documents.document import Document
from core.documents.intake import read_pasted
from core.review.store.projects import Project
from core.serving.session import Session
from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import same_language

Sent = Mapping[str, Any]

MOST_CHARACTERS = 2_000_000  # a thesis has half of it
TOO_LONG = (
    f"A text has at most {MOST_CHARACTERS:,} characters here, and this one {{found:,}}; send its "
    "beginning, or its parts as documents."
)
TITLE = "title"
NO_VOCABULARY = "The vocabulary of this project cannot be loaded."


def listed_project(session: Session) -> Project:
    """Return the project that a request names.

    Raises:
        ProblemError: there is none, or it is archived.
    """
    project = session.current()
    if project.is_archived:
        raise unknown_project(session.named)
    return project


def vocabulary_of(session: Session) -> Vocabulary:
    """Return a project's vocabulary, opened where it is not.

    Raises:
        ProblemError: it cannot be read.
    """
    vocabulary = session.vocabulary()
    if vocabulary is None:
        raise unavailable(session.project.vocabulary_problem or NO_VOCABULARY)
    return vocabulary


def label_language(session: Session, vocabulary: Vocabulary, wanted: str | None) -> str:
    """Return the label language that was asked for, or that of the settings.

    A vocabulary that states no language has labels in every one.

    Raises:
        ProblemError: the vocabulary has none in it, nor in a variety of it.
    """
    if not wanted:
        return session.language()
    stated = vocabulary.index.languages
    if stated and not any(same_language(language, wanted) for language in stated):
        languages = ", ".join(sorted(stated))
        raise bad_request(
            f"language {wanted[:20]!r} not supported by vocabulary, which has {languages}"
        )
    return wanted


def document_of(sent: Sent) -> Document | None:
    """Return what was sent as a document, titled as a pasted text is; None without any text.

    Raises:
        DocumentError: it is no text.
        ProblemError: it is longer than what is read for a program.
    """
    if len(sent["text"]) > MOST_CHARACTERS:
        raise ProblemError(413, "Payload Too Large", TOO_LONG.format(found=len(sent["text"])))
    title = sent.get("metadata", {}).get(TITLE, "")
    if not sent["text"].strip() and not title.strip():
        return None
    return read_pasted(title, sent["text"]).document()
