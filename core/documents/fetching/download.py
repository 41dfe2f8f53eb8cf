"""One answer of a listed host: redirects checked one by one, size and time bounded."""

from __future__ import annotations

import ssl
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from functools import cache
from urllib.parse import urljoin

import httpcore2

from core.documents.fetching.policy import FetchPolicy, Target
from core.documents.fetching.streams import CheckedBackend, Deadline, Resolver, resolve
from core.errors import DocumentError
from core.version import __version__

MAX_BYTES = 10_000_000  # on the way and unpacked
MAX_SECONDS = 20.0  # for all of a line: names, redirects and the answer
MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
OK = 200
USER_AGENT = f"Strata/{__version__} (subject indexing)"
ACCEPTED = "text/html, application/xhtml+xml, application/pdf;q=0.8, text/plain;q=0.8, */*;q=0.1"
UNPACKED_AT_ONCE = 65_536
BY_HAND = "Download it in a browser, and add the file."


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one line may cost: bytes, and seconds in all."""

    n_bytes: int = MAX_BYTES
    seconds: float = MAX_SECONDS


@dataclass(frozen=True, slots=True)
class Answer:
    """What a host sent.

    Attributes:
        address: that answered, after redirects.
        media_type: such as "text/html"; "" where the host states none.
        charset: as stated, or "".
        content: unpacked; empty unless the status is 200.
    """

    address: str
    status: int
    media_type: str = ""
    charset: str = ""
    content: bytes = field(default=b"", repr=False)


class Downloader:
    """Asks hosts that a policy allows, for one thing at a time.

    Args:
        resolver: from a host and port to network addresses.
        ssl_context: whom to trust; the certificates of this machine where it is None.
    """

    def __init__(
        self,
        policy: FetchPolicy,
        *,
        limits: FetchLimits = FetchLimits(),
        resolver: Resolver = resolve,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self.policy, self.limits = policy, limits
        self._resolver = resolver
        self._ssl_context = ssl_context

    def deadline(self) -> Deadline:
        """Return the deadline of a line whose time begins now."""
        return Deadline(self.limits.seconds)

    def get(self, address: str, deadline: Deadline, headers: Mapping[str, str]) -> Answer:
        """Ask for an address, and for those that it redirects to.

        Args:
            headers: besides those that every request has.
        Raises:
            DocumentError: a host is not allowed, not reached, too slow, or sends too much.
        """
        target = self.policy.target(address)
        for _ in range(MAX_REDIRECTS + 1):
            answer = self._asked(target, deadline, headers)
            if not isinstance(answer, str):
                return answer
            target = self._redirected(target, answer)
        raise DocumentError(
            f"{target.host} sends on from one address to the next more than {MAX_REDIRECTS} times. "
            f"{BY_HAND}"
        )

    def _redirected(self, target: Target, location: str) -> Target:
        try:
            return self.policy.target(urljoin(target.address, location))
        except (DocumentError, ValueError) as error:
            raise DocumentError(f"{target.host} sends on to another address. {error}") from error

    def _asked(
        self, target: Target, deadline: Deadline, headers: Mapping[str, str]
    ) -> Answer | str:
        host = target.host
        try:
            return self._exchange(target, deadline, headers)
        except httpcore2.TimeoutException as error:
            raise DocumentError(
                f"{host} did not answer in full within {deadline.seconds:g} seconds. Try again "
                f"later. {BY_HAND}"
            ) from error
        except (httpcore2.NetworkError, ssl.SSLError) as error:
            if "CERTIFICATE" in str(error).upper():
                reason = "cannot prove that it is this host: its certificate is not trusted here"
            else:
                reason = "cannot be reached from this machine"
            raise DocumentError(f"{host} {reason}. {BY_HAND}") from error
        except (httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
            raise DocumentError(
                f"{host} broke off, or did not answer as a website does."
            ) from error

    def _exchange(
        self, target: Target, deadline: Deadline, headers: Mapping[str, str]
    ) -> Answer | str:
        sent = {"Accept": ACCEPTED, "Accept-Encoding": "gzip", **headers}
        backend = CheckedBackend(self.policy, target, deadline, self._resolver)
        with answered("GET", target, sent, backend, self._ssl_context) as response:
            received = _headers(response.headers)
            if response.status in REDIRECTS and received["location"]:
                return str(received["location"])
            media_type, charset = _media_type(received["content-type"])
            answer = Answer(target.address, response.status, media_type, charset)
            if response.status != OK:
                return answer
            content = self._content(target.host, received, response.iter_stream())
            return Answer(target.address, response.status, media_type, charset, content)

    def _content(self, host: str, headers: Message, chunks: Iterable[bytes]) -> bytes:
        stated = headers["content-length"] or ""
        if stated.isdecimal() and int(stated[:20]) > self.limits.n_bytes:
            raise self._too_large(host)
        encoding = (headers["content-encoding"] or "identity").strip().lower()
        if encoding not in {"identity", "gzip", "x-gzip"}:
            raise DocumentError(f"{host} packs its answers in a way that is not read. {BY_HAND}")
        pieces = self._bounded(host, chunks)
        if encoding != "identity":
            pieces = self._bounded(host, _unpacked(host, pieces))
        return b"".join(pieces)

    def _bounded(self, host: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        n_bytes = 0
        for piece in pieces:
            n_bytes += len(piece)
            if n_bytes > self.limits.n_bytes:
                raise self._too_large(host)
            yield piece

    def _too_large(self, host: str) -> DocumentError:
        return DocumentError(
            f"What {host} sends has more than {self.limits.n_bytes / 1e6:g} MB, the most that is "
            f"fetched. {BY_HAND}"
        )


@contextmanager
def answered(
    method: str,
    target: Target,
    headers: Mapping[str, str],
    backend: CheckedBackend,
    ssl_context: ssl.SSLContext | None,
    *,
    content: bytes | None = None,
) -> Iterator[httpcore2.Response]:
    """Send one request over a connection of its own, and give what answers it, not yet read.

    Args:
        headers: besides those that every request has.
        ssl_context: whom to trust; the certificates of this machine where it is None.
    Raises:
        httpcore2.TimeoutException, NetworkError, ProtocolError, UnsupportedProtocol: there is no
            answer.
    """
    # The parts that were checked, so that nobody reads the address again.
    url = httpcore2.URL(
        scheme=target.scheme.encode("ascii"),
        host=target.host.encode("ascii"),
        port=target.port,
        target=target.path.encode("ascii"),
    )
    sent = {
        "Host": target.authority,
        "User-Agent": USER_AGENT,
        "Connection": "close",
        **headers,
    }
    with (
        httpcore2.ConnectionPool(
            ssl_context=ssl_context or trusted(), network_backend=backend
        ) as pool,
        pool.stream(method, url, headers=list(sent.items()), content=content) as response,
    ):
        yield response


def _unpacked(host: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what gzip has packed, a bounded piece at a time, whatever it grows to."""
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        for piece in pieces:
            while piece:
                if unpacking.eof:  # a file of several members
                    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
                yield unpacking.decompress(piece, UNPACKED_AT_ONCE)
                piece = unpacking.unused_data if unpacking.eof else unpacking.unconsumed_tail
        while not unpacking.eof and (rest := unpacking.decompress(b"", UNPACKED_AT_ONCE)):
            yield rest
    except zlib.error as error:
        raise DocumentError(f"What {host} sends is damaged. {BY_HAND}") from error
    if not unpacking.eof:
        raise DocumentError(f"{host} broke off before the end. Try again later.")


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> Message:
    """Return headers by their names, in any case; of two with one name the first counts."""
    message = Message()
    for name, value in raw:
        message[name.decode("latin-1")] = value.decode("latin-1")
    return message


def _media_type(stated: str | None) -> tuple[str, str]:
    if not stated:
        return "", ""
    read = Message()
    read["content-type"] = stated
    return read.get_content_type(), read.get_content_charset("")


@cache
def trusted() -> ssl.SSLContext:
    """Return whom this machine trusts; read once, as that takes some hundredths of a second."""
    return httpcore2.default_ssl_context()
