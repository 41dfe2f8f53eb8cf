"""What a program sends: a form or JSON, read within bounds and held to the description."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from core.api.answers import json_value
from core.paths import PROJECT_ROOT

MAX_BYTES = 10_000_000  # a thesis has about one
MAX_FIELDS = 200
MAX_DIGITS = 9
BUSY_SECONDS = 1
LONGEST_PROJECT_ID = 60  # as it is shown
LONGEST_SHOWN = 120
DESCRIPTION = PROJECT_ROOT / "assets" / "openapi.json"
TOO_MUCH = f"One message holds {MAX_BYTES / 1e6:g} MB at most; send fewer documents at a time."
BAD_FORM = "This is no form in UTF-8; send fields such as text=…, encoded as in an address."
BAD_JSON = "This is not JSON in UTF-8."

Content = Any


class ProblemError(Exception):
    """A request that is not answered, and why (RFC 9457).

    Args:
        retry_seconds: when to ask again; None where that would not help.
    """

    def __init__(
        self, status: int, title: str, detail: str, *, retry_seconds: int | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.title, self.retry_seconds = status, title, retry_seconds


def bad_request(sentence: str) -> ProblemError:
    """Return what a program sent wrong."""
    return ProblemError(400, "Bad Request", sentence)


def unavailable(sentence: str, *, seconds: int = BUSY_SECONDS) -> ProblemError:
    """Return what fails now and may not later."""
    return ProblemError(503, "Service Unavailable", sentence, retry_seconds=seconds)


def unknown_project(named: str | None) -> ProblemError:
    """Return that there is no such project."""
    shown = (named or "")[:LONGEST_PROJECT_ID]
    return ProblemError(404, "Project not found", f"Project {shown!r} not found")


# ---------------------------------------------------------------------- bodies


@dataclass(frozen=True, slots=True)
class BodyKind:
    """A kind of body, and how it is read: in a thread, as it may take a second."""

    media_type: str
    read: Callable[[bytes], Content]


def _json(body: bytes) -> Content:
    try:
        return json_value(body)
    except ValueError as error:
        raise bad_request(BAD_JSON) from error


def query_of(request: Request) -> dict[str, str]:
    """Return the fields of an address; of two with one name the last.

    Raises:
        ProblemError: they are no text.
    """
    return _fields(request.url.query.encode())


async def body_of(request: Request, wanted: str) -> bytes:
    """Return what was sent.

    Raises:
        ProblemError: it is of another media type than the one wanted, or too long.
    """
    stated = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if stated != wanted:
        raise ProblemError(415, "Unsupported Media Type", f"Send this as {wanted}.")
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_BYTES:
                raise ProblemError(413, "Payload Too Large", TOO_MUCH)
    except ClientDisconnect as error:
        raise bad_request("The message ended too early.") from error
    return bytes(body)


def _fields(sent: bytes) -> dict[str, str]:
    try:
        text = sent.decode("utf-8")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise bad_request(BAD_FORM) from error
    return dict(pairs)


FORM = BodyKind("application/x-www-form-urlencoded", _fields)  # of two fields of a name the last
JSON = BodyKind("application/json", _json)


# ---------------------------------------------------------------------- their content


@cache
def description() -> dict[str, Any]:
    """Return the description of `/v1` in OpenAPI 3.1, whose schemas are those of JSON Schema."""
    fields: dict[str, Any] = json.loads(DESCRIPTION.read_text("utf-8"))
    return fields


@cache
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator  # seconds, where what checks IRIs is installed

    components = {"components": description()["components"]}
    return Draft202012Validator({"$ref": f"#/components/schemas/{schema}", **components})


def held_to(schema: str, content: Content) -> Content:
    """Return content that has the form of one of the schemas of the description.

    Raises:
        ProblemError: it has not; the sentence says where.
    """
    from jsonschema.exceptions import best_match

    error = best_match(_validator(schema).iter_errors(content))
    if error is None:
        return content
    rule = json.dumps(error.validator_value, ensure_ascii=False)[:LONGEST_SHOWN]
    where = error.json_path[:LONGEST_SHOWN]
    raise bad_request(
        f"{where} is not as it should be ({error.validator}: {rule}); see /v1/openapi.json."
    )


def whole_number(fields: Mapping[str, str], name: str, default: int) -> int:
    """Return a field that is a whole number from 0.

    Raises:
        ProblemError: it is none.
    """
    text = fields.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise bad_request(f"{name} is a whole number from 0, not {text[:20]!r}.")
    return int(text)


def share(fields: Mapping[str, str], name: str, default: float) -> float:
    """Return a field that is a number from 0 to 1.

    Raises:
        ProblemError: it is none.
    """
    text = fields.get(name)
    if text is None:
        return default
    try:
        number = float(text) if text.isascii() and "_" not in text else -1.0
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise bad_request(f"{name} is a number from 0 to 1, not {text[:20]!r}.")
    return number
