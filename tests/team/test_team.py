"""Several processes on one database: nothing lost or doubled when one of them is killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.postgres import NewDatabase
from tests.team.proxied import configuration, missing_proxy
from tests.team.rounds import N_JOB_DOCUMENTS, run_round


@pytest.mark.skipif(bool(missing_proxy()), reason=missing_proxy())
def test_a_killed_app_loses_and_doubles_nothing(new_postgres: NewDatabase, tmp_path: Path) -> None:
    found = run_round(tmp_path, new_postgres(), sessions=8, seconds=4.5)
    assert found.problems[:5] == []
    assert list(found.decisions.problems()) == []
    assert found.decisions.acknowledged > 100
    assert (found.elsewhere, found.let_in) == (0, 0)
    assert found.read_by_jobs == {1: N_JOB_DOCUMENTS}
    assert set(found.seats) == {"app1", "app2"}


def test_the_proxy_keeps_people_at_their_app() -> None:
    text = configuration(8500, [9001, 9002])
    assert "bind 127.0.0.1:8500" in text
    assert "server app2 127.0.0.1:9002 cookie app2" in text
    assert text.count("server app") == 2
    assert "^(200|401)$\n" in text
