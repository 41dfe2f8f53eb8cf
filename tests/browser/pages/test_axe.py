"""axe-core finds no violation of ours on any page, in the light and in the dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser.axe import is_streamlits, violations
from tests.support.browser.profile import Profile
from tests.support.browser.screens import SCREENS, Screen, go_to
from tests.support.browser.seeds import seed
from tests.support.browser.server import Server
from tests.support.fakes import fake_session

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("axe") / "home"
    place = fake_session(home)
    seed(place)
    place.server.close()
    server = Server(home, fake=True)
    server.start()
    yield server
    server.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_axe_finds_nothing_of_ours(
    screen: Screen, scheme: str, server: Server, profile: Profile
) -> None:
    page = profile.same_tab(server.url, color_scheme=scheme)
    go_to(page, screen, server)
    ours = [found for found in violations(page) if not is_streamlits(found)]
    assert not ours, "\n".join(f"{one.rule}: {one.target}\n  {one.summary}" for one in ours)
