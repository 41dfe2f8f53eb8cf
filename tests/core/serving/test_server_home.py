"""What a server does with its home when it starts and stops."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from core.home import HomeLock, clear_leftovers
from core.serving.server import Server
from pages import serving
from pages.hosting.app import lifespan
from tests.support import asgi


def test_a_starting_server_clears_what_was_left_and_holds_the_home(
    new_server: Server, new_home: Path
) -> None:
    (new_home / ".staging-left").mkdir(parents=True)
    new_home.chmod(0o755)
    new_server.start()
    assert not (new_home / ".staging-left").exists()
    assert new_home.stat().st_mode & 0o777 == 0o700
    (new_home / ".staging-other").mkdir()
    assert clear_leftovers(new_home) == []
    new_server.close()
    assert clear_leftovers(new_home) == [new_home / ".staging-other"]


def test_a_second_server_leaves_what_the_first_one_may_be_writing(
    new_server: Server, new_home: Path
) -> None:
    (new_home / ".staging-first").mkdir(parents=True)
    with closing(HomeLock.shared(new_home)):
        new_server.start()
    assert (new_home / ".staging-first").exists()


@pytest.mark.usefixtures("usual_umask", "log")
def test_what_a_server_writes_is_for_its_owner_alone(new_server: Server, new_home: Path) -> None:
    async def serve() -> None:
        async with lifespan(None):
            (new_home / "written").touch()

    serving.install(new_server)
    try:
        asgi.run(serve())
    finally:
        serving.install(None)
    assert (new_home / "written").stat().st_mode & 0o777 == 0o600
