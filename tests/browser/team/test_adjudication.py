"""Two people annotate a document without seeing each other, and one outcome is made of both."""

from __future__ import annotations

from contextlib import closing

import pytest
from playwright.sync_api import expect

from core.review.annotations.asking import ask_twice
from core.review.decisions.recording import Operation, current
from core.review.people.accounts import find_account
from core.review.people.memberships import give_role
from core.review.store.store import Store
from core.roles import Role
from tests.support.browser.axe import violations_of_ours
from tests.support.browser.page import AnnotatePage
from tests.support.browser.profile import Profile, signed_in
from tests.support.browser.server import Server
from tests.support.stores import send

pytestmark = pytest.mark.browser


def annotate(tab: AnnotatePage, *concept_ids: str) -> None:
    """Accept concepts of the sole, under one's own annotation of it, and finish."""
    tab.open("?project=1&document=sole")
    tab.wait_for_suggestions()
    expect(tab.page.locator(".st-key-annotation_standing")).to_contain_text("Neither of you sees")
    for concept_id in concept_ids:
        tab.decide(concept_id, "accept")
    tab.wait_until_saved()
    tab.page.locator(".workbench .finish").click()
    tab.wait_until_saved()


def begun_by_jo(server: Server) -> None:
    """Ask Maria and Jo to annotate the sole, which Jo has begun; Ann indexes here, too."""
    with closing(Store.open(f"sqlite:///{server.home}/strata.sqlite")) as store:
        give_role(store, "ann", 1, Role.INDEXER)
        (maria, jo) = (find_account(store, name).person_id for name in ("maria", "jo"))
        ask_twice(store, 1, ["sole"], (maria, jo), asked_by=maria)
        send(store, Operation(1, "add", "202"), document_id="sole~2", client_id="j", person_id=jo)


def test_both_annotate_and_a_lead_makes_one_of_it(
    team_server: Server, profile: Profile, second_profile: Profile
) -> None:
    maria = signed_in(profile, team_server, "maria", "documents?project=1")
    page = maria.page
    page.wait_for_selector(".shelf[data-ready]")
    page.locator("tr[data-document=sole] input").check()
    page.locator(".twice summary").click()
    page.locator("[data-action=twice]").click()
    expect(page.locator("tr[data-document='sole~1'] td.status")).to_contain_text("your annotation")
    jo = signed_in(second_profile, team_server, "jo")
    annotate(jo, "202", "103", "104")
    jo.page.goto(f"{team_server.url}?project=1&document=sole~1")  # Maria's
    expect(jo.page.get_by_text("There is no document 'sole~1'")).to_be_visible()
    assert not jo.page.locator(".workbench").count()
    annotate(maria, "103", "302")
    page.goto(f"{team_server.url}documents?project=1")
    page.wait_for_selector(".shelf[data-ready]")
    jo.page.goto(f"{team_server.url}documents?project=1")
    for her_or_his in (page, jo.page):
        expect(her_or_his.locator("li[data-document=sole] .status")).to_have_text("to adjudicate")
        expect(her_or_his.locator("tr[data-document=sole] .status")).to_contain_text(
            "to adjudicate"
        )
    expect(jo.page.locator("[data-status='to adjudicate']")).to_have_count(0)  # an indexer's
    page.locator("[data-status='to adjudicate']").click()
    page.locator("tr[data-document=sole] a").click()
    maria.wait_for_suggestions()
    expect(page.locator(".sides .numbers")).to_have_text("1 the same, 3 differ, 3 open")
    sides = {row: page.locator(f"[data-concept='{row}']") for row in ("202", "103", "104", "302")}
    told = {concept_id: row.get_attribute("data-side") for concept_id, row in sides.items()}
    assert told == {"202": "right", "103": "both", "104": "right", "302": "left"}
    assert violations_of_ours(page) == []
    selected = page.locator("[role=treeitem][aria-selected=true]")
    assert selected.get_attribute("data-concept") in {"202", "104", "302"}  # what differs
    for concept_id, key in (("202", "2"), ("302", "2"), ("104", "0")):
        sides[concept_id].focus()
        page.keyboard.press(key)
    maria.wait_until_saved()
    expect(page.locator(".sides .numbers")).to_contain_text("0 open")
    with closing(Store.open(f"sqlite:///{team_server.home}/strata.sqlite")) as store:
        outcome = {i: row.state for i, row in current(store, "sole").items()}
        assert outcome == {
            "202": "accepted", "103": "accepted", "302": "rejected", "104": "rejected",
        }  # fmt: skip
        assert {row.person for row in current(store, "sole").values()} == {"maria"}
        assert current(store, "sole~2").keys() == {"202", "103", "104"}  # Jo's stays
    page.locator(".workbench .finish").click()
    maria.wait_until_saved()
    page.goto(f"{team_server.url}documents?project=1")
    expect(page.locator("tr[data-document=sole] td.status")).to_contain_text("adjudicated")


def test_a_lead_hands_over_what_somebody_has_begun_and_assigns_what_lies_in_a_branch(
    team_server: Server, profile: Profile
) -> None:
    begun_by_jo(team_server)
    page = signed_in(profile, team_server, "maria", "documents?project=1").page
    page.wait_for_selector(".shelf[data-ready]")
    row = page.locator("tr[data-document='sole~1']")  # Maria's own
    for taker, said in (
        ("Maria Lund", "1 document not handed over"),
        ("ann", "Who takes over begins anew; what Jo Berg has decided"),
    ):
        row.locator("input").check()
        page.locator(".former").select_option(label="Jo Berg")
        page.locator(".assign .to").select_option(label=taker)
        page.locator("[data-action=assign]").click()
        expect(page.get_by_text(said)).to_be_visible()
    n_all = page.locator("tbody tr").count()
    branch = page.locator(".st-key-documents_branch input")
    branch.fill("fisheries")
    branch.press("Enter")
    expect(page.get_by_text("Something of")).to_be_visible()
    rows = page.locator("tbody tr")
    expect(rows).not_to_have_count(n_all)
    page.locator("thead .all").check()
    page.locator(".assign .to").select_option(label="Jo Berg")
    page.locator("[data-action=assign]").click()
    expect(rows.locator("td.whose", has_text="Jo Berg")).to_have_count(rows.count())


def test_what_is_annotated_twice_is_nobodys_no_more_and_is_withdrawn_after_a_question(
    team_server: Server, profile: Profile, second_profile: Profile
) -> None:
    begun_by_jo(team_server)
    ann = signed_in(second_profile, team_server, "ann", "documents?project=1").page
    ann.wait_for_selector(".shelf[data-ready]")
    expect(ann.locator("tr[data-document=sole] td.whose")).to_have_text("two people")
    ann.locator("label.whose select").select_option("free")
    expect(ann.locator("tr[data-document=sole]")).to_have_count(0)
    assert not ann.locator(".st-key-documents_branch").count()  # is for leads
    page = signed_in(profile, team_server, "maria", "documents?project=1").page
    page.wait_for_selector(".shelf[data-ready]")
    row = page.locator("tr[data-document='sole~1']")
    expect(row.locator("td.whose")).to_have_text("you")
    row.locator("input").check()
    page.locator("[data-action=once]").click()
    expect(page.get_by_text("To withdraw these, too, loses that work")).to_be_visible()
    page.locator(".st-key-withdraw button").click()
    expect(page.locator("tr[data-document=sole] td.whose")).to_have_text("")
    expect(page.locator(".st-key-withdraw")).to_have_count(0)
