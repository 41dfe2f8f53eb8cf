"""Lines of CELEX numbers and addresses as documents, each fetched and then read like an upload."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.documents.batches.document_batch import BatchDocument
from core.documents.fetching.addresses import CELLAR, THREE_LETTERS, WantedAct, wanted_act
from core.documents.fetching.download import BY_HAND, OK, Answer, Downloader
from core.documents.intake import Intake
from core.documents.language import EU_LANGUAGES, identify_language
from core.documents.plain_text import stated_codec
from core.documents.rows.records import BadLine
from core.documents.uploads import read_upload
from core.encoding import BYTE_ORDER_MARKS
from core.errors import DocumentError

# What may come, and the end of the name under which it is read, as readers know it.
SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "text/plain": ".txt",
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.oasis.opendocument.text": ".odt",
}
TEXTS = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
NOT_THERE = frozenset({404, 406, 410})
REFUSALS = frozenset({202, 401, 403, 405, 429, 503})  # 202: a challenge that a browser would answer
ABSENT = "requested document does not exist"  # what EUR-Lex writes on a page of its own
ABSENT_CHARACTERS = 2_000  # so short is that page
MAX_LINES = 500
MOST_REFUSALS = 3  # one after the other, before a host is left alone
LEFT_ALONE = "Not asked: the host refused those before. " + BY_HAND


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one act: its document, or why there is none.

    Attributes:
        refused: the host does not answer programs, or not so many requests.
    """

    document: BatchDocument | None = None
    problem: str = ""
    refused: bool = False


def lines_of(text: str) -> list[str]:
    """Return what stands in each line, each once.

    Raises:
        DocumentError: there is nothing, or too much.
    """
    lines = list(dict.fromkeys(filter(None, (line.strip() for line in text.splitlines()))))
    if not lines:
        raise DocumentError("Type a CELEX number or an address, one in each line.")
    if len(lines) > MAX_LINES:
        raise DocumentError(
            f"There are {len(lines):,} lines; {MAX_LINES} is the most that is fetched at once. "
            "Take some of them first."
        )
    return lines


def fetched_documents(
    lines: Sequence[str], language: str, downloader: Downloader
) -> Iterator[BatchDocument | BadLine]:
    """Yield the documents of lines, one at a time, or in their place why there is none.

    A host that refuses several times in a row is not asked again.

    Args:
        language: in which acts are wanted, two letters.
    """
    n_refused = 0
    for line in lines:
        if n_refused >= MOST_REFUSALS:
            yield BadLine(line, LEFT_ALONE)
            continue
        outcome = fetch_act(line, language, downloader)
        n_refused = n_refused + 1 if outcome.refused else 0
        yield outcome.document or BadLine(line, outcome.problem)


def fetch_act(line: str, language: str, downloader: Downloader) -> Outcome:
    """Fetch and read the act that a line names, within the time limit of one line."""
    outcome = Outcome()
    try:
        wanted = wanted_act(line, language, downloader.policy)
        deadline = downloader.deadline()
        for address in wanted.addresses:
            headers = _headers(address, wanted.language)
            answer = downloader.get(address, deadline, headers)
            if answer.status == OK:
                intake = _read(wanted, answer)
                if intake is not None:
                    return Outcome(_document(line, wanted, intake))
            problem = _problem(wanted, answer)
            outcome = Outcome(problem=problem, refused=answer.status in REFUSALS)
    except DocumentError as error:
        # Of several places, what the first said is said as well.
        return Outcome(problem=f"{outcome.problem} {error}".strip(), refused=outcome.refused)
    return outcome


def _headers(address: str, language: str) -> dict[str, str]:
    """Return what is asked besides: the language, which the Cellar wants in three letters."""
    if not language:
        return {}
    in_cellar = address.startswith(f"https://{CELLAR}/")
    return {"Accept-Language": THREE_LETTERS.get(language, language) if in_cellar else language}


def _read(wanted: WantedAct, answer: Answer) -> Intake | None:
    """Return the text of an answer; None where it says that there is no such act.

    Raises:
        DocumentError: it is of a kind that cannot be read, or damaged.
    """
    suffix = SUFFIXES.get(answer.media_type)
    if suffix is None:
        raise DocumentError(
            f"{wanted.name} is not a text but {answer.media_type or 'of no stated kind'}: HTML, PDF, "
            "Word, OpenDocument and plain text can be read."
        )
    name = f"{_stem(wanted)}{suffix}"
    intake = read_upload(name, _in_utf8(answer))
    if len(intake.text) < ABSENT_CHARACTERS and ABSENT in f"{intake.title} {intake.text}".lower():
        return None
    return intake


def _stem(wanted: WantedAct) -> str:
    if wanted.is_numbered:
        return wanted.name
    return PurePosixPath(wanted.name.partition("?")[0]).stem or "The page"


def _in_utf8(answer: Answer) -> bytes:
    """Return the content; a text in the encoding that its host states is rewritten in UTF-8."""
    content = answer.content
    if answer.media_type not in TEXTS or content.startswith(tuple(BYTE_ORDER_MARKS)):
        return content
    try:
        codec = stated_codec("The page", answer.charset)
    except DocumentError:
        return content
    if codec in (None, "utf-8"):
        return content
    return codecs.BOM_UTF8 + content.decode(codec, "replace").encode("utf-8", "replace")


def _document(line: str, wanted: WantedAct, intake: Intake) -> BatchDocument:
    document = intake.document(wanted.name if wanted.is_numbered else "")
    remarks = list(intake.notes)
    seen = identify_language(document.text, wanted.language or "en")
    if wanted.language and seen not in (None, wanted.language):
        asked = EU_LANGUAGES.get(wanted.language, wanted.language)
        remarks.append(f"asked for in {asked}, it came in {EU_LANGUAGES[str(seen)]}.")
    return BatchDocument(line, document, said=tuple(remarks))


def _problem(wanted: WantedAct, answer: Answer) -> str:
    host = answer.address.split("/")[2]
    language = EU_LANGUAGES.get(wanted.language, "")
    if answer.status in NOT_THERE or answer.status == OK:
        where = f" in {language}" if language else ""
        remedy = "Look at the number, or take another language." if wanted.language else ""
        return f"{host} has no {wanted.name}{where}. {remedy}".strip()
    if answer.status in REFUSALS:
        return f"{host} refused to answer a program ({answer.status}); it may answer a browser. {BY_HAND}"
    return f"{host} answered with an error ({answer.status}). Try again later. {BY_HAND}"
