"""Which suggester elsewhere a project asks, and which ones an administrator allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import urlsplit

from core.documents.fetching.policy import FetchPolicy, Target, is_own, is_public
from core.errors import ConfigError, DocumentError
from core.settings import Settings

ANNIF, CHAT = "annif", "openai"
KINDS = {ANNIF: "Annif project", CHAT: "Language model (OpenAI-compatible)"}
LONGEST_ADDRESS, LONGEST_NAME = 300, 100
MOST_TITLE, MOST_TEXT = 1_000, 20_000
"""Characters of a document that are sent, at most."""
ALLOWED_IN = "An administrator lists hosts in STRATA_SUGGESTERS."


@dataclass(frozen=True, slots=True)
class AllowedSuggesters:
    """Which suggesters elsewhere an administrator allows.

    Attributes:
        hosts: all of them by name, a port after a colon where it is not 443.
        keys: by host, what is sent along to prove who asks.
        allows_loopback: for tests alone: listed hosts may be this machine, and be asked by HTTP.
        inside: those that may be in a network of one's own, and be asked by HTTP.
    """

    hosts: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    allows_loopback: bool = False
    inside: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> AllowedSuggesters:
        """Return what the settings allow."""
        keys = dict(settings.suggester_keys)
        inside = settings.suggester_hosts_inside
        hosts = (*settings.suggester_hosts, *inside)
        return cls(hosts, keys, settings.fetches_loopback, inside)

    @property
    def policy(self) -> FetchPolicy:
        """Which hosts and network addresses may be asked."""
        return FetchPolicy(self.hosts, self.allows_loopback, self.inside)


NONE_ALLOWED = AllowedSuggesters()


@dataclass(frozen=True, slots=True)
class SuggesterElsewhere:
    """What a project asks.

    Attributes:
        kind: one of `KINDS`.
        address: of an Annif server, as `https://annif.example`, or of an endpoint up to where
            `/chat/completions` follows.
        name: the id of the Annif project, or the name of the language model.
    """

    kind: str
    address: str
    name: str

    @property
    def host(self) -> str:
        """The host that is asked, with its port where one is named."""
        return urlsplit(self.address).netloc

    @property
    def said(self) -> str:
        """What people know it by."""
        return f"{self.name} at {self.host}"

    @property
    def identity(self) -> str:
        """What changes where another one is asked."""
        return sha256("\0".join((self.kind, self.address, self.name)).encode()).hexdigest()[:12]

    def checked(self, allowed: AllowedSuggesters) -> SuggesterElsewhere:
        """Return it in the form in which it is kept.

        Raises:
            ConfigError: something is missing, or its host is not allowed.
        """
        address, name = self.address.strip().rstrip("/"), " ".join(self.name.split())
        if self.kind not in KINDS:
            raise ConfigError("Choose what is asked: an Annif project or a language model.")
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise ConfigError(
                "Name the Annif project or the language model, in at most "
                f"{LONGEST_NAME} characters."
            )
        if len(address) > LONGEST_ADDRESS or "?" in address or "#" in address:
            raise ConfigError(
                f"The address has at most {LONGEST_ADDRESS} characters, and no ? or #."
            )
        _refuse_other(address, allowed)
        return SuggesterElsewhere(self.kind, address, name)


def _refuse_other(address: str, allowed: AllowedSuggesters) -> None:
    """Refuse an address that is not asked.

    Raises:
        ConfigError: it is none, is not asked by HTTPS, or its host is not allowed.
    """
    try:
        target = allowed.policy.target(address)
    except DocumentError as error:
        raise ConfigError(f"{error} {ALLOWED_IN}") from error
    if not address.startswith(f"{target.scheme}://"):
        raise ConfigError(
            "A suggester elsewhere is asked by HTTPS alone, unless it is in your own network and "
            "STRATA_SUGGESTERS_INSIDE lists it: the address begins with https://."
        )
    _refuse_private(target, allowed.policy)


def _refuse_private(target: Target, policy: FetchPolicy) -> None:
    """Refuse a host that is a network address which is never asked; names are looked up later.

    Raises:
        ConfigError: it is inside a network, and not listed as such.
    """
    if not _is_network_address(target.host):
        return
    try:
        policy.check(target.host, [target.host], scheme=target.scheme, port=target.port)
    except DocumentError as error:
        if is_public(target.host):
            raise ConfigError(
                f"{target.authority} is an address of the internet, and asked by HTTPS alone: the "
                "address begins with https://."
            ) from error
        why = "STRATA_SUGGESTERS_INSIDE does not list it" if is_own(target.host) else "never asked"
        raise ConfigError(
            f"{target.authority} may not be asked from here: it is an address inside a network, and "
            f"{why}."
        ) from error


def _is_network_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
