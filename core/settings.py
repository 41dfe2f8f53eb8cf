"""Where Strata keeps and finds things, read from the environment with defaults for one person."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import ConfigError
from core.paths import PROJECT_ROOT

DEFAULT_MEMORY_MB = 1_000
DEFAULT_REST_PER_MINUTE = 600
ORIGIN = re.compile(r"https?://[a-z0-9.-]{1,253}(?::[1-9][0-9]{0,4})?")
LOOPBACK_ADDRESS = re.compile(r"http://(?:localhost|127\.0\.0\.1)(?::[1-9][0-9]{0,4})?(?:/|$)")
HOST = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*(?::[1-9][0-9]{0,4})?")
FETCHED = ("eur-lex.europa.eu", "publications.europa.eu")
"""Hosts that give acts: EUR-Lex and the Cellar."""


@dataclass(frozen=True, slots=True)
class OpenIdSettings:
    """Where people sign in by OpenID Connect.

    Attributes:
        issuer: the address of the provider, as its tokens name it (`STRATA_OIDC_ISSUER`).
        client_id: by which the provider knows this server (`STRATA_OIDC_CLIENT_ID`).
        client_secret: likewise (`STRATA_OIDC_CLIENT_SECRET`); "" for the one in the home folder, or
            for none.
        claim: which of a token's claims is the name of the account (`STRATA_OIDC_CLAIM`); "" for
            preferred_username, or else the email address if the provider has verified it.
    """

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    claim: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Paths and choices of one running Strata.

    Attributes:
        home: folder for everything that this installation writes (`STRATA_HOME`).
        database_url: SQLAlchemy URL of the store (`STRATA_DATABASE_URL`).
        bundle_dir: the model bundle that is served where none was chosen on the Models page
            (`STRATA_BUNDLE`).
        language: label language, a BCP 47 code (`STRATA_LANGUAGE`).
        memory_mb: what open projects may hold together, in MB of 1,000,000 bytes; those that were
            used least recently are closed, and opened again when asked for (`STRATA_MEMORY_MB`).
        access_key: what people and programs sign in with (`STRATA_ACCESS_KEY`); "" for the one in
            the home folder, if there is one.
        user_header: in which a proxy that is named as trusted says who asks (`STRATA_USER_HEADER`),
            such as X-Forwarded-User; "" where people sign in here.
        openid: where people sign in by OpenID Connect; None where they do not.
        makes_access_key: whether one is made where it is needed (`STRATA_MAKE_ACCESS_KEY`).
        fetch_hosts: from which acts may be fetched (`STRATA_FETCH`), of `FETCHED`; none by default.
        fetches_loopback: whether hosts may be this machine; set by tests alone, by no variable.
        suggester_hosts: which suggesters elsewhere projects may ask (`STRATA_SUGGESTERS`), likewise.
        suggester_hosts_inside: those that may be in a network of one's own, and be asked by HTTP
            (`STRATA_SUGGESTERS_INSIDE`).
        suggester_keys: by host, what proves to it who asks (`STRATA_SUGGESTER_KEYS`).
        rest: whether programs are answered below `/v1` (`STRATA_REST=1`).
        rest_origins: sites whose pages may ask there, such as http://127.0.0.1:3333
            (`STRATA_REST_ORIGINS`); none by default.
        rest_per_minute: how many requests one key or address may send there in a minute
            (`STRATA_REST_PER_MINUTE`).
        shipped_models: folder with the bundles that came with the program.
    """

    home: Path
    database_url: str
    bundle_dir: Path
    language: str
    shipped_models: Path = PROJECT_ROOT / "assets" / "models"
    memory_mb: int = DEFAULT_MEMORY_MB
    access_key: str = field(default="", repr=False)
    makes_access_key: bool = False
    user_header: str = ""
    openid: OpenIdSettings | None = None
    fetch_hosts: tuple[str, ...] = ()
    fetches_loopback: bool = False
    suggester_hosts: tuple[str, ...] = ()
    suggester_hosts_inside: tuple[str, ...] = ()
    suggester_keys: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    rest: bool = False
    rest_origins: tuple[str, ...] = ()
    rest_per_minute: int = DEFAULT_REST_PER_MINUTE

    @property
    def own_models(self) -> Path:
        """Folder for further bundles; what is copied there is found without a restart."""
        return self.home / "models"

    @classmethod
    def from_env(cls) -> Settings:
        """Read the settings; nothing is created on disk.

        Raises:
            ConfigError: one of them does not say what it should.
        """
        home = Path(os.environ.get("STRATA_HOME", PROJECT_ROOT / "var")).expanduser().resolve()
        bundle = os.environ.get("STRATA_BUNDLE", PROJECT_ROOT / "assets" / "models" / "eurovoc")
        return cls(
            home=home,
            database_url=os.environ.get("STRATA_DATABASE_URL", f"sqlite:///{home}/strata.sqlite"),
            bundle_dir=Path(bundle).expanduser().resolve(),
            language=os.environ.get("STRATA_LANGUAGE", "en"),
            memory_mb=_number("STRATA_MEMORY_MB", "megabytes", DEFAULT_MEMORY_MB),
            access_key=os.environ.get("STRATA_ACCESS_KEY", "").strip(),
            user_header=os.environ.get("STRATA_USER_HEADER", "").strip(),
            openid=_openid(),
            makes_access_key=os.environ.get("STRATA_MAKE_ACCESS_KEY", "") == "1",
            fetch_hosts=_fetch_hosts(),
            suggester_hosts=_hosts("STRATA_SUGGESTERS", "api.annif.org"),
            suggester_hosts_inside=_hosts("STRATA_SUGGESTERS_INSIDE", "annif.lan:5000"),
            suggester_keys=_keys(os.environ.get("STRATA_SUGGESTER_KEYS", "")),
            rest=os.environ.get("STRATA_REST", "") == "1",
            rest_origins=_origins(os.environ.get("STRATA_REST_ORIGINS", "")),
            rest_per_minute=_number(
                "STRATA_REST_PER_MINUTE", "requests in a minute", DEFAULT_REST_PER_MINUTE
            ),
        )


def _openid() -> OpenIdSettings | None:
    """Return where people sign in by OpenID Connect; None where no provider is named.

    Raises:
        ConfigError: the provider is not reached by HTTPS, or does not know this server.
    """
    names = ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "CLAIM")
    issuer, client_id, secret, claim = (
        os.environ.get(f"STRATA_OIDC_{name}", "").strip() for name in names
    )
    if not issuer:
        return None
    if not (issuer.startswith("https://") or LOOPBACK_ADDRESS.match(issuer)):
        raise ConfigError(
            f"STRATA_OIDC_ISSUER is an address that begins with https://, not {issuer[:60]!r}."
        )
    if not client_id:
        raise ConfigError("STRATA_OIDC_CLIENT_ID is missing: the provider of sign-ins gives it.")
    return OpenIdSettings(issuer, client_id, secret, claim)


def _number(name: str, what: str, default: int) -> int:
    """Return the number that a setting names; the default where it names none.

    Raises:
        ConfigError: it is no number.
    """
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not text.isdecimal():
        raise ConfigError(f"{name} is a number of {what}, not {text[:20]!r}.")
    return int(text)


def _origins(text: str) -> tuple[str, ...]:
    """Return the sites that a setting lists, between spaces or commas, each once.

    Raises:
        ConfigError: something in it is no origin.
    """
    origins = tuple(dict.fromkeys(text.lower().replace(",", " ").split()))
    for origin in origins:
        if not ORIGIN.fullmatch(origin):
            raise ConfigError(
                "STRATA_REST_ORIGINS lists origins such as http://127.0.0.1:3333, without a path "
                f"or *; {origin[:60]!r} is none."
            )
    return origins


def _hosts(name: str, example: str) -> tuple[str, ...]:
    """Return the hosts that a setting lists, between spaces or commas, each once.

    Raises:
        ConfigError: something in it is no host.
    """
    text = os.environ.get(name, "")
    hosts = tuple(dict.fromkeys(text.lower().replace(",", " ").split()))
    for host in hosts:
        if not HOST.fullmatch(host):
            raise ConfigError(
                f"{name} lists hosts such as {example}, without https:// and without "
                f"paths or *; {host[:60]!r} is none."
            )
    return hosts


def _fetch_hosts() -> tuple[str, ...]:
    """Return the hosts from which acts may be fetched.

    Raises:
        ConfigError: another host is listed.
    """
    hosts = _hosts("STRATA_FETCH", FETCHED[0])
    for host in hosts:
        if host not in FETCHED:
            raise ConfigError(
                f"STRATA_FETCH lists {host[:60]}: acts are fetched from {' and '.join(FETCHED)} alone."
            )
    return hosts


def _keys(text: str) -> tuple[tuple[str, str], ...]:
    """Return the keys that a setting lists by host, as `host=key`, between spaces.

    Raises:
        ConfigError: something in it is no such pair; it is not quoted, as it may be a key.
    """
    keys: dict[str, str] = {}
    for number, pair in enumerate(text.split(), start=1):
        host, _, key = pair.partition("=")
        if not HOST.fullmatch(host.lower()) or not (key.isascii() and key.isprintable() and key):
            raise ConfigError(
                "STRATA_SUGGESTER_KEYS lists pairs such as api.example.org=KEY, between spaces; "
                f"number {number} is none."
            )
        keys[host.lower()] = key
    return tuple(keys.items())
