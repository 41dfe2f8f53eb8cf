"""What processes that parse and compute know of the environment of the server."""

from __future__ import annotations

import json

import pytest

from core.processes import environment, start_worker

SECRETS = (
    *(
        "STRATA_ACCESS_KEY",
        "STRATA_DATABASE_URL",
        "STRATA_SUGGESTER_KEYS",
        "HF_TOKEN",
        "PGPASSWORD",
    ),
    *("HUGGING_FACE_HUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "POSTGRES_PASSWORD"),
    *("HTTPS_PROXY", "SSH_AUTH_SOCK", "STREAMLIT_SERVER_COOKIE_SECRET"),
)
NEEDED = ("STRATA_HOME", "STRATA_PRECISION", "STRATA_BACKEND", "OMP_NUM_THREADS", "LC_ALL", "PATH")


def test_a_worker_gets_what_it_needs_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*SECRETS, *NEEDED[:-1]):
        monkeypatch.setenv(name, "a value")
    process = start_worker("tests.support.told_environment")
    out, _ = process.communicate(timeout=60)
    told = json.loads(out)
    assert set(NEEDED) <= set(told)
    assert not set(SECRETS) & set(told)
    assert set(told) - {"PYTHONPATH", "MALLOC_TOP_PAD_", "LC_CTYPE"} <= set(environment())
