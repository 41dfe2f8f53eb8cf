"""What a project may ask elsewhere, and what the settings allow."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.errors import ConfigError
from core.paths import PROJECT_ROOT
from core.settings import Settings
from core.suggest.elsewhere.choice import ANNIF, CHAT, AllowedSuggesters, SuggesterElsewhere

ALLOWED = AllowedSuggesters(("annif.example", "models.example:8443"))


def test_an_address_is_kept_without_a_slash_at_its_end() -> None:
    typed = SuggesterElsewhere(ANNIF, " https://annif.example/ ", " yso  en ")
    assert typed.checked(ALLOWED) == SuggesterElsewhere(ANNIF, "https://annif.example", "yso en")
    model = SuggesterElsewhere(CHAT, "https://models.example:8443/v1", "small")
    assert model.checked(ALLOWED) == model
    assert model.said == "small at models.example:8443"


@pytest.mark.parametrize(
    ("kind", "address", "name", "sentence"),
    [
        (ANNIF, "https://other.example", "yso", "other.example is not allowed here; allowed: ann"),
        (ANNIF, "https://annif.example:8443", "yso", "is not allowed here at port 8443"),
        (ANNIF, "http://annif.example", "yso", "asked by HTTPS alone"),
        (ANNIF, "https://me:secret@annif.example", "yso", "name or password"),
        (ANNIF, "annif.example", "yso", "begins with https://"),
        (ANNIF, "https://annif.example/?a=1", "yso", r"no \? or #"),
        (ANNIF, "https://annif.example", " ", "Name the Annif project or the language model"),
        (ANNIF, "https://annif.example", "y" * 101, "at most 100 characters"),
        ("other", "https://annif.example", "yso", "Choose what is asked"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_sentence(
    kind: str, address: str, name: str, sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence):
        SuggesterElsewhere(kind, address, name).checked(ALLOWED)


@pytest.mark.parametrize("host", ["127.0.0.1", "10.1.2.3", "[::1]", "169.254.169.254"])
def test_an_address_inside_a_network_is_refused_unless_it_is_listed_as_inside(host: str) -> None:
    typed = SuggesterElsewhere(ANNIF, f"https://{host}", "yso")
    with pytest.raises(ConfigError, match="may not be asked from here: it is an address inside a"):
        typed.checked(AllowedSuggesters((host,)))
    inside = AllowedSuggesters((host,), inside=(host,))
    if host == "169.254.169.254":  # machines of a cloud give their secrets there
        with pytest.raises(ConfigError, match="inside a network, and never asked"):
            typed.checked(inside)
    else:
        assert typed.checked(inside) == typed


def test_a_listed_address_of_the_internet_is_asked_by_https_alone() -> None:
    host = "147.67.34.45:5000"
    inside = AllowedSuggesters((host,), inside=(host,))
    with pytest.raises(ConfigError, match="address of the internet, and asked by HTTPS alone"):
        SuggesterElsewhere(ANNIF, f"http://{host}", "yso").checked(inside)


def test_an_address_of_the_internet_and_one_that_tests_allow_are_taken() -> None:
    public = SuggesterElsewhere(ANNIF, "https://147.67.34.45", "yso")
    assert public.checked(AllowedSuggesters(("147.67.34.45",))) == public
    here = SuggesterElsewhere(ANNIF, "http://127.0.0.1:5000", "yso")
    allowed = AllowedSuggesters(("127.0.0.1:5000",), allows_loopback=True)
    assert here.checked(allowed) == here


def test_nothing_is_allowed_unless_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STRATA_SUGGESTERS", raising=False)
    monkeypatch.delenv("STRATA_SUGGESTER_KEYS", raising=False)
    assert AllowedSuggesters.of(Settings.from_env()) == AllowedSuggesters()
    monkeypatch.setenv("STRATA_SUGGESTERS", "annif.example, Models.example:8443")
    monkeypatch.setenv("STRATA_SUGGESTER_KEYS", "models.example:8443=k=7")
    settings = Settings.from_env()
    allowed = AllowedSuggesters.of(settings)
    assert allowed.hosts == ("annif.example", "models.example:8443")
    assert allowed.keys == {"models.example:8443": "k=7"}
    assert "k=7" not in repr(settings) + repr(allowed)
    monkeypatch.setenv("STRATA_SUGGESTERS_INSIDE", "annif.lan:5000")
    allowed = AllowedSuggesters.of(Settings.from_env())
    inside = SuggesterElsewhere(ANNIF, "http://annif.lan:5000", "yso")
    assert inside.checked(allowed) == inside
    with pytest.raises(ConfigError, match="STRATA_SUGGESTERS_INSIDE lists it"):
        SuggesterElsewhere(ANNIF, "http://annif.example", "yso").checked(allowed)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STRATA_SUGGESTERS", "https://annif.example"),
        ("STRATA_SUGGESTERS", "*"),
        ("STRATA_SUGGESTER_KEYS", "s3cret"),
        ("STRATA_SUGGESTER_KEYS", "annif.example= x=s3cret\u00e9"),
    ],
)
def test_a_setting_that_is_none_is_refused_and_no_key_is_quoted(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=name) as refused:
        Settings.from_env()
    assert "s3cret" not in str(refused.value)


def test_who_asks_nobody_imports_nothing_that_asks() -> None:
    asked = "import sys, core.serving.server, core.batches.chosen; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    imported = [name for name in done.stdout.split() if name.startswith("core.suggest.elsewhere")]
    assert imported == ["core.suggest.elsewhere", "core.suggest.elsewhere.choice"]
