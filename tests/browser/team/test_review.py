"""A document goes from who finishes it to who approves it, and back, between two browsers."""

from __future__ import annotations

from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from core.review.decisions.recording import Operation
from core.review.reports.summaries import named_documents
from core.review.store.projects import keep_switches
from core.review.store.store import Store
from tests.support.browser.page import SETTLED
from tests.support.browser.profile import Profile, signed_in
from tests.support.browser.server import Server
from tests.support.stores import send

pytestmark = pytest.mark.browser
FINISHED = ("sole", "tickets", "honey")
HERRING = "?project=1&document=herring"


def test_a_document_is_sent_back_finished_again_and_approved(
    team_server: Server, profile: Profile, second_profile: Profile
) -> None:
    jo = signed_in(profile, team_server, "jo", HERRING)
    jo.wait_for_suggestions()
    jo.page.keyboard.press("Shift+Enter")
    jo.wait_until_saved()
    maria = signed_in(second_profile, team_server, "maria", HERRING)
    maria.wait_for_suggestions()
    maria.page.keyboard.press("r")
    maria.page.locator(".prompt input.words").fill("The <b>year</b> is missing.")
    maria.page.keyboard.press("Enter")
    maria.wait_until_saved()
    jo.open(HERRING)
    jo.wait_for_suggestions()
    said = "Sent back by Maria Lund: The <b>year</b> is missing."
    expect(jo.page.locator(".notice .sentence")).to_have_text(said)
    expect(jo.page.locator(".st-key-comments")).to_contain_text("Comments (1)")
    assert jo.page.locator("[data-command=approve]:visible").count() == 0
    jo.page.keyboard.press("Shift+Enter")
    jo.wait_until_saved()
    maria.open(HERRING)
    maria.wait_for_suggestions()
    for _ in range(2):  # asked, and confirmed by the same key
        maria.page.keyboard.press("a")
    expect(maria.page.locator(".workbench")).not_to_have_attribute("data-document", "herring")
    expect(maria.page.locator(".toast").last).to_contain_text("Approved “")
    maria.wait_until_saved()
    jo.open(HERRING)
    jo.wait_for_suggestions()
    expect(jo.page.locator(".banner .sentence")).to_contain_text("Approved: ")
    assert jo.page.locator("[data-command=reopen]:visible").count() == 0
    maria.page.keyboard.press("z")
    maria.wait_until_saved()
    maria.open(HERRING)
    expect(maria.page.locator(".banner .sentence")).to_have_text("Finished.")


def test_a_mention_a_skip_and_what_a_lead_selects_stand_in_the_list(
    team_server: Server, profile: Profile, second_profile: Profile
) -> None:
    maria = signed_in(second_profile, team_server, "maria", HERRING)
    jo = signed_in(profile, team_server, "jo", HERRING)
    a_mention_is_on_the_list_until_it_is_answered(team_server, maria.page, jo.page)
    jo.open(HERRING)
    jo.wait_for_suggestions()
    an_indexer_skips_with_a_reason_that_leads_see_in_the_list(team_server, maria.page, jo.page)
    maria.open(HERRING)
    maria.wait_for_suggestions()
    maria.page.keyboard.press("Shift+Enter")
    maria.wait_until_saved()
    a_lead_approves_and_makes_urgent_by_selection(team_server, maria.page)


def a_mention_is_on_the_list_until_it_is_answered(server: Server, maria: Page, jo: Page) -> None:
    maria.locator(".st-key-comments button").click()
    maria.locator("[role=dialog] textarea").fill("Which year? <i>x</i> **y**")
    maria.locator(".st-key-mention_jo button").click()
    expect(maria.locator("[role=dialog] textarea")).to_have_value("Which year? <i>x</i> **y** @jo ")
    maria.locator(".st-key-comment_keep button").click()
    expect(maria.locator("[role=dialog]")).to_contain_text("Which year? <i>x</i> **y** @jo")
    jo.goto(f"{server.url}documents?project=1")
    mentions = jo.locator("[data-status=mentions]")
    expect(mentions).to_have_text("Mentions1")
    mentions.click()
    expect(jo.locator("tbody tr")).to_have_count(1)
    jo.locator("tbody .note").click()
    jo.locator("[role=dialog] textarea").fill("In 1998.")
    jo.locator(".st-key-comment_keep button").click()
    expect(jo.locator("[role=dialog]")).to_contain_text("In 1998.")
    jo.reload()
    jo.wait_for_selector(SETTLED)
    expect(jo.locator("[data-status=mentions]")).to_have_text("Mentions0")
    jo.locator("[data-status=all]").click()


def an_indexer_skips_with_a_reason_that_leads_see_in_the_list(
    server: Server, maria: Page, jo: Page
) -> None:
    jo.locator(".st-key-skip_menu button").click()
    jo.get_by_label("Why you leave it").fill("In <b>Welsh</b>.")
    jo.locator(".st-key-skip button").click()
    expect(jo.locator(".workbench")).not_to_have_attribute("data-document", "herring")
    maria.goto(f"{server.url}documents?project=1")
    row = maria.locator("tr[data-document=herring]")
    expect(row).to_contain_text("skipped by Jo Berg: In <b>Welsh</b>.")
    jo.goto(f"{server.url}documents?project=1")
    expect(jo.locator("tr[data-document=herring]")).to_be_visible()
    assert "skipped" not in jo.locator("tbody").inner_text()


def a_lead_approves_and_makes_urgent_by_selection(server: Server, page: Page) -> None:
    page.goto(f"{server.url}documents?project=1")
    page.locator("tr[data-document=herring] input").check()
    page.locator("[data-action=approve]").click()
    expect(page.locator("tr[data-document=herring]")).to_have_attribute("data-status", "approved")
    page.locator("tr[data-document=sole] input").check()
    page.locator("[data-action=urgent]").click()
    expect(page.locator("tr[data-document=sole] .urgent")).to_have_text("urgent")
    page.locator("tr[data-document=herring] input").check()
    page.locator(".send-back input").fill("Once more.")
    page.locator("[data-action=send_back]").click()
    expect(page.locator("tr[data-document=herring]")).to_have_attribute("data-status", "sent back")
    expect(page.locator("tr[data-document=herring] .note")).to_contain_text("Once more.")


def test_a_reviewer_goes_through_what_waits_for_approval(
    team_server: Server, profile: Profile
) -> None:
    with closing(Store.open(f"sqlite:///{team_server.home}/strata.sqlite")) as store:
        keep_switches(store, 1, needs_approval=True)
        for name in ("honey", "sole"):
            send(store, Operation(1, "finish"), document_id=name, client_id=name, person_id=2)
    tab = signed_in(profile, team_server, "maria", "?project=1&document=sole")
    tab.wait_for_suggestions()
    for _ in range(2):
        tab.page.keyboard.press("a")
    expect(tab.page.locator(".workbench")).to_have_attribute("data-document", "tickets")
    tab.page.keyboard.press("s")  # leaves it as it is
    expect(tab.page.locator(".workbench")).to_have_attribute("data-document", "honey")
    with closing(Store.open(f"sqlite:///{team_server.home}/strata.sqlite")) as store:
        judged = {name: row.judged for name, row in named_documents(store, 1, FINISHED).items()}
    assert judged == {"sole": "approved", "tickets": "", "honey": ""}
