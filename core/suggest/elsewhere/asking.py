"""One answer of a suggester elsewhere: no redirect, no second try, size and time bounded."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator

import httpcore2

from core.documents.fetching.download import OK, REDIRECTS, answered
from core.documents.fetching.policy import FetchPolicy, Target
from core.documents.fetching.streams import CheckedBackend, Deadline, Resolver, resolve
from core.errors import DocumentError, UnansweredError

SECONDS = 5.0  # for all of an answer, with the name and the connection
MAX_BYTES = 1_000_000
NOT_ALLOWED = frozenset({401, 403})


class Asker:
    """Asks one suggester, where a policy allows its host.

    Args:
        said: what people know it by, for sentences.
        key: sent along where it is not empty.
        resolver: from a host and port to network addresses.
    """

    def __init__(
        self,
        policy: FetchPolicy,
        asked_for: str,
        *,
        key: str = "",
        seconds: float = SECONDS,
        resolver: Resolver = resolve,
    ) -> None:
        self.policy, self.said, self.seconds = policy, asked_for, seconds
        self._key, self._resolver = key, resolver

    def post(self, address: str, body: bytes, content_type: str) -> bytes:
        """Send something to an address, and return the answer.

        Raises:
            UnansweredError: the host is not allowed, not reached, too slow, sends on, refuses, or
                sends too much.
        """
        try:
            return self._exchange(self.policy.target(address), body, content_type)
        except httpcore2.TimeoutException as error:
            raise self.too_slow() from error
        except (httpcore2.NetworkError, ssl.SSLError) as error:
            is_untrusted = "CERTIFICATE" in str(error).upper()
            reason = (
                "has a certificate that is not trusted here" if is_untrusted else "is not reached"
            )
            raise self.left_out(reason) from error
        except (httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
            raise self.left_out("broke off, or did not answer as a website does") from error
        except DocumentError as error:  # of the policy
            raise self.left_out("may not be asked from here") from error

    def too_slow(self) -> UnansweredError:
        """Return an error that says that time was up."""
        return self.left_out(f"did not answer within {self.seconds:g} seconds")

    def left_out(self, reason: str) -> UnansweredError:
        """Return an error with the reason why suggestions from elsewhere are left out."""
        return UnansweredError(f"{self.said} {reason} and is left out.")

    def _exchange(self, target: Target, body: bytes, content_type: str) -> bytes:
        backend = CheckedBackend(self.policy, target, Deadline(self.seconds), self._resolver)
        sent = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": content_type,
            "Content-Length": str(len(body)),
            **({"Authorization": f"Bearer {self._key}"} if self._key else {}),
        }
        with answered("POST", target, sent, backend, ssl_context=None, content=body) as response:
            if response.status != OK:
                raise self.left_out(_refusal(response.status))
            return b"".join(self._bounded(response.iter_stream()))

    def _bounded(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        n_bytes = 0
        for piece in pieces:
            n_bytes += len(piece)
            if n_bytes > MAX_BYTES:
                raise self.left_out(f"sent more than {MAX_BYTES / 1e6:g} MB")
            yield piece


def _refusal(status: int) -> str:
    if status in REDIRECTS:
        return "sends on to another address, which is not followed,"
    if status in NOT_ALLOWED:
        return "does not accept the key that STRATA_SUGGESTER_KEYS names for its host"
    return f"refused with the status {status}"
