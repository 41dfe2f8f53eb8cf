"""What may be asked: hosts as they are listed, and public network addresses."""

from __future__ import annotations

import pytest

from core.documents.fetching.policy import FetchPolicy, is_own, is_public
from core.errors import ConfigError, DocumentError
from core.settings import Settings

POLICY = FetchPolicy(("eur-lex.europa.eu", "acts.example:8443"))


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("https://eur-lex.europa.eu/a?b=c#d", "https://eur-lex.europa.eu/a?b=c"),
        ("http://EUR-Lex.europa.eu./a", "https://eur-lex.europa.eu/a"),
        ("https://acts.example:8443/ä", "https://acts.example:8443/%C3%A4"),
    ],
)
def test_a_listed_host_is_asked_by_https_alone(address: str, asked: str) -> None:
    assert POLICY.target(address).address == asked


@pytest.mark.parametrize(
    "address",
    [
        "https://europa.eu/",
        "https://eur-lex.europa.eu.evil.example/",
        "https://evil.example/eur-lex.europa.eu",
        "https://eur-lex.europa.eu:8443/",
        "http://eur-lex.europa.eu:8080/",
        "https://acts.example/",
        "https://user:word@eur-lex.europa.eu/",
        "https://eur-lex.europa.eu@evil.example/",
        "https://eur-lex.europa.eu\\@evil.example/",
        "https://eur-lex.europa.eu/\r\nHost: evil.example",
        "file:///etc/passwd",
        "https://[::1",
        "https://eur-lex.europa.eu:99999/",
        "//eur-lex.europa.eu/",
    ],
)
def test_other_hosts_ports_and_schemes_are_refused(address: str) -> None:
    with pytest.raises(DocumentError):
        POLICY.target(address)


def test_the_sentence_names_what_is_allowed() -> None:
    with pytest.raises(DocumentError, match=r"evil.example is not allowed here; allowed: eur-lex"):
        POLICY.target("https://evil.example/")
    with pytest.raises(DocumentError, match=r"^evil.example:9 is not allowed here; allowed: eur"):
        POLICY.target("http://evil.example:9/")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("http://eur-lex.europa.eu:9/", r"^eur-lex.europa.eu is not allowed here at port 9; allow"),
        ("https://acts.example/", r"^acts.example is not allowed here at port 443; allowed: eur-"),
        ("https://[::1]:9/", r"^\[::1\] is not allowed here at port 9; allowed: \[::1\]\. A host"),
    ],
)
def test_the_sentence_names_the_port_where_it_is_the_reason(address: str, sentence: str) -> None:
    policy = FetchPolicy(("[::1]",)) if "::" in address else POLICY
    with pytest.raises(DocumentError, match=sentence) as refused:
        policy.target(address)
    assert "without a port is asked at port 443 alone" in str(refused.value)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("147.67.34.45", True),
        ("2a01:7080::1", True),
        ("64:ff9b::147.67.34.45", True),
        ("64:ff9b::10.0.0.1", False),
        ("10.0.0.1", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("192.0.2.1", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("0.0.0.0", False),
        ("::", False),
        ("::1", False),
        ("::ffff:147.67.34.45", False),
        ("::147.67.34.45", False),
        ("2002:9343:222d::1", False),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
        ("fe80::1%1", False),
        ("fec0::1", False),
        ("fc00::1", False),
        ("ff02::1", False),
    ],
)
def test_only_addresses_of_the_internet_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_the_setting_lists_hosts_and_is_off_by_default(monkeypatch) -> None:
    assert Settings.from_env().fetch_hosts == ()
    monkeypatch.setenv("STRATA_FETCH", "EUR-Lex.europa.eu, publications.europa.eu")
    assert Settings.from_env().fetch_hosts == ("eur-lex.europa.eu", "publications.europa.eu")


def test_acts_are_fetched_from_eur_lex_and_the_cellar_alone(monkeypatch) -> None:
    monkeypatch.setenv("STRATA_FETCH", "eur-lex.europa.eu acts.example")
    with pytest.raises(ConfigError, match=r"acts\.example: acts are fetched from eur-lex"):
        Settings.from_env()


@pytest.mark.parametrize("value", ["https://eur-lex.europa.eu", "*.europa.eu", "a" * 60_000 + "!"])
def test_a_setting_that_is_no_host_is_refused(value: str, monkeypatch) -> None:
    monkeypatch.setenv("STRATA_FETCH", value)
    with pytest.raises(ConfigError, match="STRATA_FETCH lists hosts"):
        Settings.from_env()


INSIDE = FetchPolicy(("annif.lan:5000", "annif.example"), inside=("annif.lan:5000",))


def test_a_host_inside_may_be_asked_by_http_at_its_port_and_no_other() -> None:
    assert INSIDE.target("http://annif.lan:5000/v1").address == "http://annif.lan:5000/v1"
    assert INSIDE.target("http://annif.example/v1").address == "https://annif.example/v1"
    for address in ("http://annif.lan/v1", "http://annif.lan:5001/v1", "https://annif.lan/v1"):
        with pytest.raises(DocumentError, match="not allowed here"):
            INSIDE.target(address)


def test_a_host_inside_leads_to_addresses_of_ones_own_network_alone() -> None:
    INSIDE.check("annif.lan", ["10.0.0.7", "127.0.0.1", "::1"], scheme="http", port=5000)
    for address in ("169.254.169.254", "147.67.34.45", "0.0.0.0", "fe80::1"):
        with pytest.raises(DocumentError, match=r"annif\.lan leads to"):
            INSIDE.check("annif.lan", ["10.0.0.7", address], scheme="http", port=5000)
    with pytest.raises(DocumentError):
        INSIDE.check("annif.example", ["10.0.0.7"])


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("192.168.1.5", True),
        ("fc00::1", True),
        ("::1", True),
        ("127.0.0.1", True),
        ("8.8.8.8", False),
        ("169.254.169.254", False),
        ("240.0.0.1", False),
        ("::", False),
    ],
)
def test_addresses_of_ones_own_network(address: str, own: bool) -> None:
    assert is_own(address) is own
