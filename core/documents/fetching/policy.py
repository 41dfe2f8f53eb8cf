"""Which hosts may be asked, and which network addresses a connection may be made to."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from core.errors import DocumentError

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

HTTPS_PORT, HTTP_PORT = 443, 80
MAX_ADDRESS_CHARACTERS = 2_000
NO_ADDRESS = re.compile(r"[\x00-\x20\x7f\\]")  # read differently by different programs
PATH_SAFE, QUERY_SAFE = "/%:@!$&'()*+,;=~-._", "/%:@!$&'()*+,;=~-._?"
NAT64 = ipaddress.ip_network("64:ff9b::/96")
PRIVATE = (
    "{host} leads to {address}, an address inside a network; such addresses are not asked. Download the "
    "file yourself, and add it."
)


@dataclass(frozen=True, slots=True)
class Target:
    """An address whose parts were checked, so that nothing is left to be read differently.

    Attributes:
        path: with the query, as it is sent.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host, and port where it is not the usual one."""
        usual = HTTPS_PORT if self.scheme == "https" else HTTP_PORT
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == usual else f"{host}:{self.port}"

    @property
    def address(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.authority}{self.path}"


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What may be asked.

    Attributes:
        hosts: names as `STRATA_FETCH` lists them, a port after a colon where it is not 443.
        allows_loopback: for tests alone: listed hosts may be this machine, and be asked by HTTP.
        inside: those of the hosts that may be in a network of one's own or on this machine, and be
            asked by HTTP at a port that is named.
    """

    hosts: tuple[str, ...] = ()
    allows_loopback: bool = False
    inside: tuple[str, ...] = ()

    @property
    def is_on(self) -> bool:
        """Whether anything may be fetched."""
        return bool(self.hosts)

    @property
    def named(self) -> str:
        """The hosts, for a sentence."""
        return ", ".join(self.hosts)

    def target(self, address: str) -> Target:
        """Return the parts of an address that may be asked; HTTP becomes HTTPS.

        Raises:
            DocumentError: it is no address, names a user, or its host is not listed.
        """
        if len(address) > MAX_ADDRESS_CHARACTERS or NO_ADDRESS.search(address):
            raise DocumentError("This is no address that can be asked: copy it from the browser.")
        try:
            parts = urlsplit(address)
            host, port = (parts.hostname or "").rstrip("."), parts.port
        except ValueError as error:
            raise DocumentError("This is no address: copy it from the browser.") from error
        if parts.scheme not in {"http", "https"} or not host:
            raise DocumentError("This is no address of a page: it begins with https:// and a host.")
        if parts.username is not None or parts.password is not None:
            raise DocumentError("An address with a user's name or password in it is not asked.")
        scheme, port = self._secured(parts.scheme, host, port)
        path = quote(parts.path or "/", safe=PATH_SAFE)
        query = f"?{quote(parts.query, safe=QUERY_SAFE)}" if parts.query else ""
        target = Target(scheme, host, port, path + query)
        if _named(host, port) not in self.hosts:
            raise DocumentError(self._refusal(host, port))
        return target

    def check(
        self, host: str, addresses: list[str], *, scheme: str = "https", port: int = HTTPS_PORT
    ) -> None:
        """Refuse a host one of whose network addresses is not public, and may not be.

        Raises:
            DocumentError: such an address is among them.
        """
        for address in addresses:
            if self.allows_loopback and ipaddress.ip_address(address).is_loopback:
                continue
            if self._is_inside(host, port) and is_own(address):
                continue
            if scheme == "http" or not is_public(address):
                raise DocumentError(PRIVATE.format(host=host, address=address))

    def _secured(self, scheme: str, host: str, port: int | None) -> tuple[str, int]:
        """Return HTTPS and its port; HTTP only inside and in tests, to a port that is named."""
        if scheme == "http" and port is not None:
            is_plain = self.allows_loopback or self._is_inside(host, port)
            if is_plain:
                return scheme, port
        if scheme == "http" and port == HTTP_PORT:
            port = None
        return "https", port if port is not None else HTTPS_PORT

    def _refusal(self, host: str, port: int) -> str:
        """Return why a host is not asked: the port is said where it is the reason."""
        allowed = self.named or "no host"
        bare = _named(host, HTTPS_PORT)
        if not any(one == bare or one.startswith(f"{bare}:") for one in self.hosts):
            return f"{_named(host, port)} is not allowed here; allowed: {allowed}."
        return (
            f"{bare} is not allowed here at port {port}; allowed: {allowed}. A host that is listed "
            f"without a port is asked at port {HTTPS_PORT} alone."
        )

    def _is_inside(self, host: str, port: int) -> bool:
        return _named(host, port) in self.inside


def _named(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port == HTTPS_PORT else f"{name}:{port}"


def is_own(address: str) -> bool:
    """Return whether a network address is of this machine or of a network of one's own.

    A link's own addresses are none: machines of a cloud give their secrets there.
    """
    parsed = ipaddress.ip_address(address)
    if parsed.is_link_local or parsed.is_unspecified:
        return False
    return parsed.is_loopback or (parsed.is_private and not parsed.is_reserved)


def is_public(address: str) -> bool:
    """Return whether a network address is public, and no other address is embedded in it.

    Private, loopback, link-local, reserved and multicast addresses are not public; nor are IPv6
    addresses that embed an IPv4 address, except those of NAT64, where the embedded one decides.
    """
    parsed: IpAddress = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        if (
            parsed.ipv4_mapped is not None
            or parsed.sixtofour is not None
            or parsed.teredo is not None
        ):
            return False
        if parsed in NAT64:
            parsed = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        elif int(parsed) >> 32 == 0 or parsed.is_site_local:  # `::a.b.c.d`, no longer in use
            return False
    return (
        parsed.is_global
        and not parsed.is_private
        and not parsed.is_loopback
        and not parsed.is_link_local
        and not parsed.is_multicast
        and not parsed.is_reserved
        and not parsed.is_unspecified
    )
