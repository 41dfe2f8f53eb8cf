"""Settings read from the environment, with a sentence where one is none."""

from __future__ import annotations

import pytest

from core.errors import ConfigError
from core.settings import DEFAULT_MEMORY_MB, DEFAULT_REST_PER_MINUTE, Settings


def test_programs_are_not_answered_unless_somebody_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("STRATA_REST", "STRATA_REST_ORIGINS", "STRATA_REST_PER_MINUTE", "STRATA_MEMORY_MB")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    found = Settings.from_env()
    assert (found.rest, found.rest_origins) == (False, ())
    assert (found.rest_per_minute, found.memory_mb) == (DEFAULT_REST_PER_MINUTE, DEFAULT_MEMORY_MB)
    for other in ("0", "true", ""):
        monkeypatch.setenv("STRATA_REST", other)
        assert not Settings.from_env().rest
    monkeypatch.setenv("STRATA_REST", "1")
    monkeypatch.setenv("STRATA_REST_PER_MINUTE", " 60 ")
    monkeypatch.setenv("STRATA_REST_ORIGINS", "http://127.0.0.1:3333, HTTPS://Refine.example")
    found = Settings.from_env()
    assert (found.rest, found.rest_per_minute) == (True, 60)
    assert found.rest_origins == ("http://127.0.0.1:3333", "https://refine.example")


@pytest.mark.parametrize(
    "value", ["*", "null", "127.0.0.1:3333", "http://a/", "http://a b", "file:"]
)
def test_an_origin_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("STRATA_REST_ORIGINS", value)
    with pytest.raises(ConfigError, match="STRATA_REST_ORIGINS lists origins"):
        Settings.from_env()


@pytest.mark.parametrize("name", ["STRATA_REST_PER_MINUTE", "STRATA_MEMORY_MB"])
def test_a_number_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for value in ("-1", "many", "1.5"):
        monkeypatch.setenv(name, value)
        with pytest.raises(ConfigError, match=name):
            Settings.from_env()
