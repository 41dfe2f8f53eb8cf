"""What one person does stands under their name, and changes nothing that is another's own."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from core.review.store.store import Store
from core.roles import Right, Role, refusal
from tests.support.browser.axe import violations, violations_of_ours
from tests.support.browser.page import AnnotatePage
from tests.support.browser.profile import Profile, signed_in
from tests.support.browser.server import Server
from tests.support.people import PASSWORD

pytestmark = pytest.mark.browser


def tabs_of_settings(page: Page) -> list[str]:
    return page.locator("[data-testid=stTab]").all_inner_texts()


def test_two_people_decide_under_their_names(
    team_server: Server, profile: Profile, second_profile: Profile
) -> None:
    jo = signed_in(profile, team_server, "jo")
    document = Store.open(f"sqlite:///{team_server.home}/strata.sqlite")
    with document.read() as connection:
        row = connection.exec_driver_sql(
            "SELECT document_id FROM decision GROUP BY document_id ORDER BY count(*) DESC"
        ).first()
    assert row is not None
    jo.open(f"?project=1&document={row[0]}")
    jo.wait_for_suggestions()
    expect(jo.page.locator(".signed-in span")).to_have_text("Jo Berg")
    assert "by Maria Lund" in jo.page.inner_text(".workbench")
    assert "added by you" not in jo.page.inner_text(".workbench")
    open_one = next(row.concept_id for row in jo.rows() if row.state == "unresolved")
    jo.decide(open_one, "accept")
    jo.wait_until_saved()
    maria = signed_in(second_profile, team_server, "maria", f"?project=1&document={row[0]}")
    maria.wait_for_suggestions()
    words = maria.page.inner_text(".workbench")
    assert "by Jo Berg" in words and "by Maria Lund" not in words
    with document.read() as connection:
        who = connection.exec_driver_sql(
            "SELECT person.name FROM decision_event JOIN person USING (person_id) "
            "ORDER BY event_id DESC LIMIT 1"
        ).scalar()
    assert who == "jo"
    document.close()
    maria.decide(open_one, "reject")
    expect(maria.page.locator(".toast").last).to_contain_text("Jo Berg had accepted")
    maria.wait_until_saved()
    overturned = jo.page.locator(".toast").last
    expect(overturned).to_contain_text("Maria Lund has rejected")
    overturned.get_by_role("button", name="Put it back").click()
    jo.wait_until_saved()
    assert jo.states()[open_one] == "accepted"
    a_lead_shares_documents_out_and_each_goes_through_theirs(maria, jo)


def a_lead_shares_documents_out_and_each_goes_through_theirs(
    maria: AnnotatePage, jo: AnnotatePage
) -> None:
    page = maria.page
    maria.open("documents?project=1")
    page.wait_for_selector(".shelf[data-ready]")
    names = {row.get_attribute("data-document") for row in page.locator("tbody tr").all()}
    page.locator("thead .all").check()
    page.locator(".assign .to").select_option(label="Jo Berg")
    page.locator(".assign input[type=date]").fill("2030-01-31")
    page.locator("[data-action=assign]").click()
    expect(page.locator("tbody td.whose").first).to_contain_text("Jo Berg")
    expect(page.locator("tbody td.whose").first).to_contain_text("until 31 Jan 2030")
    jo.open("documents?project=1")
    jo.page.wait_for_selector(".shelf[data-ready]")
    assert not jo.page.locator(".assign").is_visible()
    jo.page.locator("label.whose select").select_option("mine")
    expect(jo.page.locator("tbody tr")).to_have_count(len(names))
    expect(jo.page.locator("tbody td.whose").first).to_contain_text("you")
    jo.page.locator("tbody tr").first.locator("input").check()
    jo.page.locator("[data-action=give_back]").click()
    expect(jo.page.locator("tbody tr")).to_have_count(len(names) - 1)
    assert violations_of_ours(jo.page) == []


def test_a_reader_reads_and_an_indexer_does_not_administer(
    team_server: Server, profile: Profile, second_profile: Profile
) -> None:
    ann = signed_in(profile, team_server, "ann", "?project=1&document=herring")
    ann.wait_for_suggestions()
    expect(ann.page.locator(".banner .sentence")).to_contain_text("You read here")
    assert not ann.page.locator(".workbench .row .accept:enabled").count()
    before = team_server.events()
    ann.page.locator("[role=treeitem]").first.focus()
    ann.page.keyboard.press("a")
    ann.page.wait_for_timeout(300)
    assert team_server.events() == before
    expect(ann.page.locator(".st-key-skip_menu")).to_have_count(0)
    ann.page.locator(".st-key-history button").click()
    expect(ann.page.locator("[role=dialog]")).to_contain_text("Times are in UTC")
    ann.page.keyboard.press("Escape")
    ann.page.locator(".st-key-comments button").click()
    expect(ann.page.locator("[role=dialog] textarea")).to_have_count(0)
    jo = signed_in(second_profile, team_server, "jo", "settings?project=1")
    jo.page.wait_for_selector(".st-key-settings_page")
    assert not {"People", "Programs", "Backup", "Health"} & set(tabs_of_settings(jo.page))
    problem = jo.page.evaluate(
        "async () => (await (await fetch('api/backup?project=1')).json()).problem"
    )
    assert problem == refusal(Role.INDEXER, Right.BACKUP)


def test_the_people_of_a_server_are_seen_by_who_administers(
    team_server: Server, profile: Profile
) -> None:
    maria = signed_in(profile, team_server, "maria", "settings?project=1")
    page = maria.page
    page.get_by_role("tab", name="People").click()
    page.wait_for_selector(".st-key-person_2")
    assert violations_of_ours(page) == []
    page.fill(".st-key-person_name input", "bo")
    page.keyboard.press("Tab")
    maria.after_run(page.locator(".st-key-person_add button").click)
    link = page.locator("[data-testid=stCode]").inner_text().strip()
    expect(page.locator(".st-key-person_4")).to_contain_text("no password yet")
    page.locator(".st-key-person_name_2 button").click()
    page.get_by_label("As others see them").last.fill("Jo Rossi")
    maria.after_run(lambda: page.keyboard.press("Enter"))
    expect(page.locator(".st-key-person_2")).to_contain_text("Jo Rossi")
    page.keyboard.press("Escape")
    maria.after_run(page.locator(".st-key-person_close_2 button").click)
    expect(page.locator(".st-key-person_2")).to_contain_text("closed")
    page.get_by_role("tab", name="Appearance").click()
    page.get_by_label("As others see you").fill("Maria Holm")
    maria.after_run(lambda: page.keyboard.press("Enter"))
    expect(page.locator(".signed-in span")).to_have_text("Maria Holm")
    page.get_by_text("Sign out", exact=True).click()
    page.get_by_role("button", name="Sign out everywhere").click()
    page.goto(link)
    assert violations(page) == []
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Choose it").click()
    maria.wait_until_settled()
    expect(page.locator(".signed-in span")).to_have_text("bo")
    page.goto(f"{team_server.url}sign-in")
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_label("Name").fill("jo")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("the account is closed")
