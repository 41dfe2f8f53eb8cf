"""Sign-in by OpenID Connect: a provider elsewhere says who somebody is, by authorization code and PKCE.

What the answer is held against (state, nonce, verifier) goes along in a cookie for ten minutes, so
that any process can take it. Authlib asks the provider and checks the token. Source: OpenID Connect
Core 1.0, section 3.1.
"""

from __future__ import annotations

import hmac
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth
from httpx2 import HTTPError, InvalidURL
from joserfc.errors import JoseError
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from core.api.protection.sign_in import SIGN_IN, cookie_of, leading_on
from core.errors import ConfigError, StrataError
from core.settings import OpenIdSettings

SECRET_FILE = "oidc-client-secret"  # in the home folder
MOST_SECONDS = 600  # from the link to the answer
ANSWER_SECONDS, CLOCK_SECONDS = 10.0, 60  # of the provider; by how much its clock may differ
COOKIE = "strata_openid"
NOT_REACHED = "{0} does not answer. Try again, or tell whoever looks after this server."
NOT_ACCEPTED = "{0} did not sign you in. Try again."
NO_SECRET = "STRATA_OIDC_CLIENT_SECRET is missing, and so is the file {0}: the provider of sign-ins gives it."
# What a token may be signed with: never "none", which some providers list.
SIGNATURES = {f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)}
_LISTED = "id_token_signing_alg_values_supported"
TOO_LATE = "This took longer than ten minutes, or began in another browser. Try again."

_LOG = logging.getLogger(__name__)
_PLACE = re.compile(r"[A-Za-z0-9_-]*(?:\?[!-\[\]-~]*)?")  # a page of this server, and what it asks
_WRONG = (AuthlibBaseError, JoseError, HTTPError, InvalidURL, ValueError, KeyError, TypeError)


class OpenIdError(StrataError):
    """Somebody was not signed in by the provider."""


class OpenId:
    """A provider that says who people are.

    Args:
        settings: where it is, and by which name it knows this server.
        home: with a file of the secret that the two share, where the settings have none.
        below: what stands before every address, as "/strata".
    Raises:
        ConfigError: there is no such secret.
    """

    def __init__(self, settings: OpenIdSettings, home: Path, *, below: str = "") -> None:
        self._settings, self._below = settings, below
        self.host = urlsplit(settings.issuer).netloc
        secret = settings.client_secret or _secret_in(home / SECRET_FILE)
        self._app = OAuth().register(
            "strata",
            client_id=settings.client_id,
            client_secret=secret,
            server_metadata_url=f"{settings.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid profile email",
                "code_challenge_method": "S256",
                "timeout": ANSWER_SECONDS,
            },
        )

    async def begin(self, scope: Scope, place: str) -> Response:
        """Return the answer that sends somebody to the provider.

        Args:
            place: the page to come back to.
        Raises:
            OpenIdError: the provider does not answer.
        """
        try:
            asked = await self._app.create_authorization_url(self._address(scope))
        except (*_WRONG, RuntimeError) as error:
            raise self._noted(NOT_REACHED, error) from error
        kept = {name: asked[name] for name in ("state", "nonce", "code_verifier")}
        value = urlencode(kept | {"place": place})
        answer = leading_on(scope, asked["url"], COOKIE, value, seconds=MOST_SECONDS)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    async def finish(self, scope: Scope, given: Mapping[str, str]) -> tuple[str, str]:
        """Return the name under which the provider has signed somebody in, and the page to go on to.

        Raises:
            OpenIdError: it has not, or its answer is not the one to what was asked.
        """
        kept = dict(parse_qsl(cookie_of(Headers(scope=scope), COOKIE)))
        state, wanted = given.get("state", ""), kept.get("state", "")
        if not wanted or not hmac.compare_digest(state.encode(), wanted.encode()):
            raise OpenIdError(TOO_LATE)
        if not given.get("code") or not kept.get("nonce") or not kept.get("code_verifier"):
            raise OpenIdError(NOT_ACCEPTED.format(self.host))
        try:
            claims = await self._claims(scope, given["code"], kept)
        except (*_WRONG, RuntimeError) as error:
            raise self._noted(NOT_ACCEPTED, error) from error
        return self._name(claims), place_here(kept.get("place", ""))

    async def _claims(self, scope: Scope, code: str, kept: dict[str, str]) -> dict[str, object]:
        token = await self._app.fetch_access_token(
            self._address(scope), code=code, code_verifier=kept["code_verifier"]
        )
        metadata = await self._app.load_server_metadata()
        metadata[_LISTED] = [name for name in metadata.get(_LISTED, ()) if name in SIGNATURES]
        expected = {
            "iss": {"essential": True, "value": self._settings.issuer},
            "aud": {"essential": True, "value": self._settings.client_id},
        }
        claims = await self._app.parse_id_token(
            token, nonce=kept["nonce"], claims_options=expected, leeway=CLOCK_SECONDS
        )
        if claims is None:
            raise KeyError("id_token")
        return dict(claims)

    def _name(self, claims: dict[str, object]) -> str:
        claim = self._settings.claim or ("preferred_username" in claims and "preferred_username")
        name = claims.get(claim or "email")
        is_email = (claim or "email") == "email"
        if not isinstance(name, str) or (is_email and claims.get("email_verified") is not True):
            return ""
        return name if name.isascii() else ""  # other letters may become others in small ones

    def _address(self, scope: Scope) -> str:
        """Where the provider sends people back to, as it has to be registered there."""
        host = Headers(scope=scope).get("host", "")
        return f"{scope['scheme']}://{host}{self._below}/{SIGN_IN}"

    def _noted(self, sentence: str, error: Exception) -> OpenIdError:
        _LOG.warning("sign-in by OpenID Connect failed (%s)", type(error).__name__)
        return OpenIdError(sentence.format(self.host))


def place_here(place: str) -> str:
    """Return the relative address of a page of this server; the first page for anything else."""
    place = place.removeprefix("./")
    return f"./{place}" if _PLACE.fullmatch(place) else "./"


def _secret_in(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except FileNotFoundError as error:
        raise ConfigError(NO_SECRET.format(file)) from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"The client secret in {file} cannot be read. {error}") from error
