"""Where an act stands: CELEX numbers, ELIs and full addresses as addresses of listed hosts.

Source: the address forms that EUR-Lex documents under "Data reuse" and "ELI", and the Publications
Office for its Cellar. They have not been tried against the live sites.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from core.documents.fetching.policy import FetchPolicy
from core.errors import DocumentError
from core.settings import FETCHED

EUR_LEX, CELLAR = FETCHED
# Languages of acts as the Cellar and ELIs write them (ISO 639-2/T).
THREE_LETTERS = {
    "bg": "bul", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa",
    "et": "est", "fi": "fin", "fr": "fra", "ga": "gle", "hr": "hrv", "hu": "hun", "it": "ita",
    "lt": "lit", "lv": "lav", "mt": "mlt", "nl": "nld", "pl": "pol", "pt": "por", "ro": "ron",
    "sk": "slk", "sl": "slv", "sv": "swe",
}  # fmt: skip
# A sector, a year, a type of act, a number; then a corrigendum, a version, a number among equals.
CELEX = re.compile(r"[0-9CE]\d{4}[A-Z]{1,2}(?:\d{1,4}|/)[A-Z0-9/()_-]{0,25}", re.ASCII)
CELEX_PREFIX = re.compile(r"celex(?:\s*:\s*|\s+|%3a)", re.IGNORECASE)
CELEX_IN_ADDRESS = re.compile(
    r"(?:[?&]uri=CELEX:|/resource/celex/)([0-9CE]\w{5}[\w()/-]*)", re.IGNORECASE
)
PLAIN_VIEW = re.compile(
    r"https?://eur-lex\.europa\.eu/legal-content/([A-Za-z]{2})/(?:TXT|ALL|AUTO)/\?"
)
ELI = re.compile(r"(?:https?://(?:data|eur-lex)\.europa\.eu)?/?(eli/[^?#\s]+)", re.IGNORECASE)
ELI_OF_ACT = re.compile(r"eli/(reg|dir|dec)(?:_impl|_del)?/(\d{4})/(\d{1,4})/oj\b")
ELI_TYPES = {"reg": "R", "dir": "L", "dec": "D"}
NEITHER = "This is neither a CELEX number such as 32019R1020 nor an address: an address begins with https://."


@dataclass(frozen=True, slots=True)
class WantedAct:
    """An act that somebody named.

    Attributes:
        name: its CELEX number where that is known, else the address.
        addresses: where it may be asked for; the next where the one before refuses programs.
        language: that was asked for, two letters; "" where the address alone decides.
    """

    name: str
    addresses: tuple[str, ...]
    language: str = ""
    is_numbered: bool = False


def wanted_act(line: str, language: str, policy: FetchPolicy) -> WantedAct:
    """Return where the act of a line stands.

    Args:
        line: a CELEX number, an ELI, or an address.
        language: of the text, two letters; an address that states one keeps it.
    Raises:
        DocumentError: it is none of these, or its host is not listed.
    """
    line = line.strip()
    number = CELEX_PREFIX.sub("", line, count=1).upper()
    if CELEX.fullmatch(number):
        return _numbered(number, language, policy)
    if eli := ELI.fullmatch(line):
        return _eli(eli.group(1), language, policy)
    if "://" not in line:
        raise DocumentError(NEITHER)
    policy.target(line)
    named = CELEX_IN_ADDRESS.search(unquote(line))
    if named and CELEX.fullmatch(celex := named.group(1).upper()):
        if stated := PLAIN_VIEW.match(line):
            return _numbered(celex, stated.group(1).lower(), policy)
        return WantedAct(celex, (line,), is_numbered=True)
    return WantedAct(line, (line,))


def _numbered(celex: str, language: str, policy: FetchPolicy) -> WantedAct:
    uri = quote(celex, safe="()/-_")
    forms = {
        EUR_LEX: f"/legal-content/{language.upper()}/TXT/HTML/?uri=CELEX:{uri}",
        CELLAR: f"/resource/celex/{uri}",
    }
    addresses = [f"https://{host}{path}" for host, path in forms.items() if host in policy.hosts]
    if policy.allows_loopback and policy.is_on and not addresses:
        addresses = [f"http://{policy.hosts[0]}{forms[EUR_LEX]}"]
    if not addresses:
        raise DocumentError(
            f"A CELEX number is asked of {EUR_LEX}, which is not allowed here; allowed: "
            f"{policy.named or 'no host'}."
        )
    return WantedAct(celex, tuple(addresses), language, is_numbered=True)


def _eli(path: str, language: str, policy: FetchPolicy) -> WantedAct:
    """Return an act by its ELI, which EUR-Lex resolves; in the language that it states."""
    path = path.rstrip("/")
    stated = next((two for two, three in THREE_LETTERS.items() if f"/{three}" in path), None)
    if stated is None:
        path = f"{path}/{THREE_LETTERS[language]}"
    address = f"https://{EUR_LEX}/{path}"
    if policy.allows_loopback and policy.is_on and EUR_LEX not in policy.hosts:
        address = f"http://{policy.hosts[0]}/{path}"
    policy.target(address)
    if act := ELI_OF_ACT.match(path):
        kind, year, number = act.groups()
        celex = f"3{year}{ELI_TYPES[kind]}{int(number):04d}"
        return WantedAct(celex, (address,), stated or language, is_numbered=True)
    return WantedAct(address, (address,), stated or language)
