"""Who signs in by name, by a link that works once, by a proxy, or by a program's key of theirs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest
from sqlalchemy import select, update
from starlette.types import Message, Receive, Scope, Send

from core.api.protection import people, who
from core.api.protection.attempts import ATTEMPTS, MOST_WAITING, Attempts
from core.api.protection.first_link import LINK_FILE, show_first_link
from core.api.protection.people import EveryGate
from core.api.protection.program_keys import READ, ProgramKeys
from core.api.protection.proxies import FROM_NAMED_PROXY
from core.api.protection.who import People
from core.errors import StoreError
from core.review.people.accounts import add_account, close_account, list_accounts
from core.review.people.passwords import LENGTH
from core.review.people.sign_ins import TOO_EARLY, choose_password, invite, invite_first
from core.review.store.store import Store
from core.review.store.tables import audit_event, invitation, sign_in
from core.serving.caller import PERSON_HEADER
from tests.support.asgi import Answer, ask, connect, run, websocket_scope
from tests.support.people import COOKIE, PASSWORD, inside
from tests.support.site_requests import NO_PAGES, PAGES, SOCKET

KEY = "correct horse battery staple"
pytestmark = pytest.mark.usefixtures("quick_passwords")


def gate(
    store: Store, *, key: str | None = None, user_header: str = "", **more: object
) -> EveryGate:
    shared = People(lambda: store, always=bool(user_header))
    return EveryGate(inside, shared, key=key, name=COOKIE, user_header=user_header, **more)  # type: ignore[arg-type]


def person_of(store: Store, name: str) -> int:
    return next(account.person_id for account in list_accounts(store) if account.name == name)


def post(own: EveryGate, path: str = "/", *, query: str = "", **fields: str) -> Answer:
    return run(ask(own, path, method="POST", query=query, body=[urlencode(fields).encode()]))


def signed_in(own: EveryGate, name: str = "jo", password: str = PASSWORD) -> dict[str, str]:
    answer = post(own, name=name, password=password)
    assert answer.status == 303, answer.text
    return {"cookie": answer.cookies[0].partition(";")[0]}


# ---------------------------------------------------------------------- alone


def test_alone_nobody_is_asked_and_a_header_from_outside_says_nothing(store: Store) -> None:
    add_account(store, "jo")
    own = gate(store)
    assert run(ask(own, "/", headers={PERSON_HEADER: "2"})).text == "inside None []"
    assert run(connect(own, SOCKET)).status == 101


def test_alone_behind_a_key_it_is_still_the_key(store: Store) -> None:
    own = gate(store, key=KEY)
    page = run(ask(own, "/"))
    assert page.status == 401 and "Access key" in page.text
    assert run(ask(own, "/", headers={"authorization": f"Bearer {KEY}"})).text.startswith("inside")


def test_the_first_administrator_comes_by_a_link_past_the_key(store: Store) -> None:
    add_account(store, "jo")
    own, link = gate(store, key=KEY), invite(store, "me")
    page = run(ask(own, "/sign-in", query=f"link={link}"))
    assert page.status == 200 and "Choose a password for <b>me</b>" in page.text
    answer = post(own, "/sign-in", query=f"link={link}", link=link, password=PASSWORD)
    assert (answer.status, answer.headers["location"]) == (303, "./")
    cookie = {"cookie": answer.cookies[0].partition(";")[0]}
    assert run(ask(own, "/", headers=cookie)).text == "inside 1 ['1']"
    # From now on the key opens nothing: it would be nobody's.
    assert run(ask(own, "/", headers={"authorization": f"Bearer {KEY}"})).status == 401


def test_others_wait_for_the_first_administrator(store: Store) -> None:
    add_account(store, "jo")
    own, link = gate(store), invite(store, "jo")
    answer = post(own, "/sign-in", query=f"link={link}", link=link, password=PASSWORD)
    assert answer.status == 400 and TOO_EARLY in answer.text and not answer.cookies
    assert run(ask(own, "/sign-in", query=f"link={link}")).status == 409
    choose_password(store, invite(store, "me"), PASSWORD)
    assert post(own, "/sign-in", query=f"link={link}", link=link, password=PASSWORD).status == 303


# ---------------------------------------------------------------------- signing in


def test_whether_it_is_up_answers_everybody(team: Store) -> None:
    own = gate(team)
    assert run(ask(own, "/_stcore/health")).text == "inside None []"
    assert run(ask(own, "/_stcore/healthy")).status == 401


def test_nothing_answers_who_has_not_signed_in(team: Store) -> None:
    own = gate(team)
    known = signed_in(own)
    for path in {*PAGES, *NO_PAGES, "/favicon.png", "//evil.example/"} - {"/_stcore/health"}:
        for headers in ({}, {"cookie": f"{COOKIE}=x"}, {PERSON_HEADER: "1"}):
            refused = run(ask(own, path, headers=headers))
            assert refused.status == 401 and "inside" not in refused.text, path
        assert run(ask(own, path, headers=known)).text == "inside 2 ['2']", path


def test_no_websocket_is_opened_for_who_has_not_signed_in(team: Store) -> None:
    own = gate(team)
    assert run(connect(own, SOCKET)).status == 403
    assert run(connect(own, SOCKET, headers={PERSON_HEADER: "1"})).status == 403
    assert run(connect(own, SOCKET, headers=signed_in(own))).status == 101


def test_a_header_from_outside_makes_nobody_another_person(team: Store) -> None:
    own = gate(team)
    spoofed = signed_in(own) | {PERSON_HEADER: "1", PERSON_HEADER.upper(): "1"}
    assert run(ask(own, "/", headers=spoofed)).text == "inside 2 ['2']"


def test_the_cookie_is_for_this_server_alone_and_holds_no_name(team: Store) -> None:
    answer = post(gate(team), "/documents", query="project=2", name=" JO ", password=PASSWORD)
    assert (answer.status, answer.headers["location"]) == (303, "./documents?project=2")
    (cookie,) = answer.cookies
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Secure" not in cookie
    assert "jo" not in cookie.partition(";")[0].removeprefix(COOKIE).lower().split("-")


@pytest.mark.parametrize(
    ("name", "password"),
    [("jo", "another one, as long"), ("jo", ""), ("nobody", PASSWORD), ("", PASSWORD)],
)
def test_what_does_not_fit_is_refused_alike(team: Store, name: str, password: str) -> None:
    answer = post(gate(team), name=name, password=password)
    assert answer.status == 401 and people.WRONG in answer.text and not answer.cookies


def test_what_was_typed_comes_back_as_text(team: Store) -> None:
    answer = post(gate(team), name='"><script>x', password="no")
    assert "&quot;&gt;&lt;script&gt;x" in answer.text and "<script>" not in answer.text


def test_guesses_at_one_account_are_slowed_from_whatever_address(
    team: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = gate(team)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(own._by_name._attempts, "_sleep", sleep)
    monkeypatch.setattr(who, "sign_in_with", lambda *_: None)
    addresses = iter(range(100))
    monkeypatch.setattr(people, "sender_of", lambda _: f"10.0.0.{next(addresses)}")
    answers = [post(own, name="jo", password="x") for _ in range(int(ATTEMPTS) + MOST_WAITING + 2)]
    assert answers[-1].status == 429 and answers[0].status == 401
    assert len(slept) >= MOST_WAITING - 1
    assert post(own, name="me", password="x").status == 401


# ---------------------------------------------------------------------- links


def test_the_first_start_behind_a_key_shows_a_link_that_makes_the_first_administrator(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(home: Path) -> str:
        home.mkdir(exist_ok=True)
        show_first_link(lambda: store, home, "http://localhost:8501/strata/")
        return capsys.readouterr().out

    shown, file = start(tmp_path / "home"), tmp_path / "home" / LINK_FILE
    address, _, link = file.read_text("utf-8").strip().partition("?link=")
    assert address == "http://localhost:8501/strata/sign-in" and f"{address}?link={link}" in shown
    assert file.stat().st_mode & 0o777 == 0o600
    assert start(tmp_path / "home") == start(tmp_path / "another") == ""  # once, and one alone
    own, key = gate(store, key=KEY), {"authorization": f"Bearer {KEY}"}
    assert run(ask(own, "/", headers=key)).text == "inside None []"  # as ever, until it is used
    assert "Access key" in run(ask(own, "/")).text
    assert post(own, "/sign-in", query=f"link={link}", link=link, password=PASSWORD).status == 303
    assert run(ask(own, "/", headers=key)).status == 401
    (first,) = list_accounts(store)
    assert first.is_administrator and first.has_password
    assert post(own, "/sign-in", query=f"link={link}", link=link, password=PASSWORD).status == 410
    assert start(tmp_path / "third") == ""  # somebody signs in


def test_a_first_link_that_cannot_be_made_keeps_no_server_from_starting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def away() -> Store:
        raise StoreError("The database is away.")

    show_first_link(away, tmp_path, "http://localhost:8501")
    assert "no link for a first administrator" in caplog.text and not list(tmp_path.iterdir())


def test_a_first_link_that_cannot_be_kept_invites_nobody(store: Store, tmp_path: Path) -> None:
    (tmp_path / LINK_FILE).symlink_to(tmp_path / "nowhere")
    show_first_link(lambda: store, tmp_path, "http://localhost:8501")
    assert invite_first(store) is not None  # as nobody was invited before


def test_a_link_works_once_and_for_three_days(team: Store) -> None:
    own, first = gate(team), invite(team, "jo")
    link = invite(team, "jo")
    assert run(ask(own, "/sign-in", query=f"link={first}")).status == 410
    short = post(own, "/sign-in", query=f"link={link}", link=link, name="jo", password="short")
    assert short.status == 400 and LENGTH in short.text and f'value="{link}"' in short.text
    chosen = post(own, "/sign-in", query=f"link={link}", link=link, password=PASSWORD + "!")
    assert chosen.status == 303
    again = post(own, "/sign-in", query=f"link={link}", link=link, password=PASSWORD)
    assert again.status == 410 and not again.cookies
    assert signed_in(own, password=PASSWORD + "!")
    late = invite(team, "jo")
    with team.write() as connection:
        connection.execute(update(invitation).values(ends_at=datetime.now(UTC)))
    assert run(ask(own, "/sign-in", query=f"link={late}")).status == 410


def test_a_new_password_ends_the_sign_ins_of_the_old_one(team: Store) -> None:
    own = gate(team)
    cookie = signed_in(own)
    choose_password(team, invite(team, "jo"), PASSWORD + "!")
    assert run(ask(own, "/api/health", headers=cookie)).status == 401


# ---------------------------------------------------------------------- leaving


def test_signing_out_ends_one_browser_or_all(team: Store) -> None:
    own = gate(team)
    one, two, other = signed_in(own), signed_in(own), signed_in(own, "me")
    page = run(ask(own, "/sign-in", headers=one))
    assert "signed in as <b>Jo Berg</b>" in page.text
    run(ask(own, "/sign-in", method="POST", headers=one, body=[b"sign_out=1"]))
    statuses = [run(ask(own, "/api/health", headers=c)).status for c in (one, two, other)]
    assert statuses == [401, 200, 200]
    run(ask(own, "/sign-in", method="POST", headers=two, body=[b"sign_out_everywhere=1"]))
    assert run(ask(own, "/api/health", headers=two)).status == 401
    assert run(ask(own, "/api/health", headers=other)).status == 200


def test_a_sign_in_ends_by_itself(team: Store) -> None:
    own = gate(team)
    cookie = signed_in(own)
    with team.write() as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(update(sign_in).values(ends_at=past))
    assert run(ask(own, "/", headers=cookie)).status == 401


def test_a_closed_account_is_out_at_its_next_message(team: Store) -> None:
    own = gate(team)
    cookie = signed_in(own)

    async def talk() -> list[str]:
        sent: list[str] = []
        messages = iter(
            [{"type": "websocket.connect"}, *[{"type": "websocket.receive", "text": "x"}] * 2]
        )

        async def receive() -> Message:
            if len(sent) >= 2:
                close_account(team, "jo")
            return dict(next(messages, {"type": "websocket.disconnect", "code": 1000}))

        async def send(message: Message) -> None:
            sent.append(message["type"])

        await own(websocket_scope(SOCKET, cookie), receive, send)
        return sent

    # Accepted; the first message is answered; at the second one the account is closed.
    told = run(talk())
    assert told[0] == "websocket.accept" and told[-1] == "websocket.close"
    assert run(ask(own, "/api/health", headers=cookie)).status == 401
    assert post(own, name="jo", password=PASSWORD).status == 401


# ---------------------------------------------------------------------- proxies and programs


def by_proxy(own: EveryGate, name: str, *, is_named: bool) -> Answer:
    async def through(scope: Scope, receive: Receive, send: Send) -> None:
        await own(scope | {FROM_NAMED_PROXY: is_named}, receive, send)

    return run(ask(through, "/", headers={"x-forwarded-user": name}))  # type: ignore[arg-type]


def test_a_proxy_that_is_named_says_who_asks_and_nobody_else_does(store: Store) -> None:
    add_account(store, "jo")
    own = gate(store, user_header="X-Forwarded-User")
    assert by_proxy(own, "Jo", is_named=True).text == "inside 2 ['2']"
    assert by_proxy(own, "jo", is_named=False).status == 401
    by_proxy(own, "jo", is_named=True)
    with store.read() as connection:
        events = connection.execute(select(audit_event.c.kind, audit_event.c.detail)).all()
    assert [tuple(event) for event in events if event.kind == "signed in"] == [
        ("signed in", {"by": "proxy"})
    ]
    unknown = by_proxy(own, "ann", is_named=True)
    assert unknown.status == 403 and unknown.json()["problem"] == people.UNKNOWN_NAME
    close_account(store, "jo")
    assert by_proxy(own, "jo", is_named=True).status == 403


def test_without_the_setting_no_header_names_anybody(team: Store) -> None:
    assert by_proxy(gate(team), "jo", is_named=True).status == 401


def test_a_program_acts_for_who_made_its_key(team: Store, tmp_path: Path) -> None:
    keys = ProgramKeys(tmp_path / "keys.json")
    own = gate(team, program_keys=keys)
    bearer = {"authorization": f"Bearer {keys.make('catalogue', [READ], person_id=2)}"}
    earlier = {"authorization": f"Bearer {keys.make('earlier', [READ])}"}
    assert run(ask(own, "/v1/projects", headers=bearer)).text == "inside 2 ['2']"
    assert run(ask(own, "/v1/projects", headers=earlier)).text == "inside 1 ['1']"
    assert run(ask(own, "/api/health", headers=bearer)).status == 401
    assert run(ask(own, "/v1/projects", headers={"authorization": "Bearer no"})).status == 401
    close_account(team, "jo")
    assert run(ask(own, "/v1/projects", headers=bearer)).status == 401


def test_many_requests_with_a_valid_key_are_no_attempts(
    team: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(seconds: float) -> None:
        raise AssertionError(f"it is slowed down by {seconds} seconds")

    keys = ProgramKeys(tmp_path / "keys.json")
    own = gate(team, program_keys=keys)
    monkeypatch.setattr(own._by_name, "_attempts", Attempts(slow))
    bearer = {"authorization": f"Bearer {keys.make('catalogue', [READ], person_id=2)}"}

    async def all_at_once() -> set[int]:
        n = int(ATTEMPTS + MOST_WAITING) + 5
        asked = (ask(own, "/v1/projects", headers=bearer) for _ in range(n))
        return {answer.status for answer in await asyncio.gather(*asked)}

    assert run(all_at_once()) == {200}


def test_many_ask_at_once_and_each_is_who_they_are(team: Store) -> None:
    own = gate(team)
    cookies = {name: signed_in(own, name) for name in ("me", "jo")}

    async def all_at_once() -> list[tuple[str, str]]:
        names = ["me", "jo"] * 50
        answers = await asyncio.gather(
            *(ask(own, "/api/health", headers=cookies[name]) for name in names)
        )
        return [(name, answer.text) for name, answer in zip(names, answers, strict=True)]

    expected = {name: f"inside {person_of(team, name)}" for name in cookies}
    assert all(text.startswith(expected[name]) for name, text in run(all_at_once()))
