"""People on the Settings page: who works here, with which role, and the links that invite them."""

from __future__ import annotations

import streamlit as st

from core.review.people.accounts import (
    LONGEST_DISPLAY_NAME,
    LONGEST_NAME,
    Account,
    add_account,
    close_account,
    list_accounts,
    make_administrator,
    rename_account,
    reopen_account,
)
from core.review.people.memberships import GIVEN, give_role, list_members
from core.review.people.sign_ins import INVITED_DAYS, invite
from core.roles import Right, Role
from pages.components.markdown import plain
from pages.messages import said_next
from pages.serving import current_session

NAME_KEY, SHOWN_KEY, ROLE_KEY = "person_name", "person_shown", "person_role"
OWN_NAME_KEY, OWN_SHOWN_KEY = "person_own_name", "person_own_shown"
LINKS_KEY = "person_links"  # name -> link, shown once
NO_ROLE, ADMINISTRATOR = "no role", Role.ADMINISTRATOR.value
ALONE = (
    "You work here alone, and nobody signs in. Add a second person, and give yourself a name: each gets "
    "a link to choose a password by. **From when you have chosen yours, everybody signs in.** What was "
    "decided until now stays yours."
)
WAITING = (
    "**Nobody signs in yet.** It begins when an administrator has chosen a password by their link; the "
    "links of others work from then on."
)
TOGETHER = (
    "Everybody signs in. A role holds in this project; administrators have every right in every "
    "project. Nobody is deleted, as decisions keep their people; names can be erased (*Erasure*)."
)


def render_people() -> None:
    """Draw who works here, and, for who may change it, the ways to."""
    session = current_session()
    accounts = list_accounts(session.store())
    is_alone = len(accounts) < 2
    signs_in = any(account.has_password for account in accounts)
    st.markdown(ALONE if is_alone else TOGETHER if signs_in else WAITING)
    _render_links()
    if not is_alone:
        members = list_members(session.store(), session.project_id())
        for account in accounts:
            _render_account(account, members.get(account.person_id))
    if session.may(Right.PEOPLE):
        _render_form(is_alone=is_alone)


def _render_links() -> None:
    links: dict[str, str] = st.session_state.pop(LINKS_KEY, {})
    for name, link in links.items():
        st.success(
            f"With this link, **{plain(name)}** chooses a password. It is shown this once, works once, "
            f"and ends after {INVITED_DAYS} days."
        )
        st.code(link, language=None)


def _render_account(account: Account, role: Role | None) -> None:
    session = current_session()
    is_self = account.person_id == session.person_id()
    with st.container(
        horizontal=True, vertical_alignment="center", border=True, key=f"person_{account.person_id}"
    ):
        marks = [
            *([":green-badge[you]"] if is_self else []),
            *([":gray-badge[closed]"] if account.is_closed else []),
            *([] if account.has_password else [":orange-badge[no password yet]"]),
        ]
        signs_in = f"  \n:small[signs in as {plain(account.name)}]" if account.display_name else ""
        st.markdown(f"**{plain(account.shown)}** {' '.join(marks)}{signs_in}", width="stretch")
        _render_role(account, role)
        if session.may(Right.PEOPLE):
            _render_ways(account)


def _render_role(account: Account, role: Role | None) -> None:
    session = current_session()
    now = ADMINISTRATOR if account.is_administrator else role or NO_ROLE
    offered = [NO_ROLE, *GIVEN, *([ADMINISTRATOR] if session.may(Right.PEOPLE) else [])]
    if now not in offered or not session.may(Right.MEMBERS):
        st.markdown(f":small[{now}]", width="content")
        return
    key = f"role_{account.person_id}_{now}"
    st.selectbox(
        f"Role of {account.name}",
        offered,
        index=offered.index(now),
        key=key,
        label_visibility="collapsed",
        on_change=_take_role,
        args=(account, key),
        width=160,
    )


def _render_ways(account: Account) -> None:
    number = account.person_id
    if account.is_closed:
        st.button("Reopen", key=f"person_reopen_{number}", on_click=_reopen, args=(account,))
        return
    label = "New password" if account.has_password else "New link"
    with st.popover("Name", key=f"person_name_{number}"):
        render_shown_name(account, "As others see them", Right.PEOPLE)
    st.button(label, key=f"person_link_{number}", on_click=_invite, args=(account,))
    st.button("Close", key=f"person_close_{number}", on_click=_close, args=(account,))


def render_shown_name(account: Account, label: str, right: Right) -> None:
    """Draw the name by which others see a person, to be changed by who has a right to."""
    key = f"person_shown_{right.name.lower()}_{account.person_id}"
    st.session_state[key] = account.display_name
    st.text_input(
        label,
        key=key,
        max_chars=LONGEST_DISPLAY_NAME,
        placeholder=account.name,
        on_change=_take_shown_name,
        args=(account, key, right),
        width=300,
    )


def _render_form(*, is_alone: bool) -> None:
    if is_alone:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                "Your name, to sign in", key=OWN_NAME_KEY, max_chars=LONGEST_NAME, width=240
            )
            st.text_input(
                "As others see you", key=OWN_SHOWN_KEY, max_chars=LONGEST_DISPLAY_NAME, width=240
            )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the new person", key=NAME_KEY, max_chars=LONGEST_NAME, width=240)
        st.text_input(
            "As others see them", key=SHOWN_KEY, max_chars=LONGEST_DISPLAY_NAME, width=240
        )
        st.selectbox("Role here", [*GIVEN, ADMINISTRATOR], index=1, key=ROLE_KEY, width=160)
        st.button("Add", key="person_add", on_click=_add, args=(is_alone,))


# ---------------------------------------------------------------------- what is asked for


def _take_role(account: Account, key: str) -> None:
    with said_next("the role could not be given"):
        session = current_session()
        chosen = st.session_state[key]
        makes_administrator = chosen == ADMINISTRATOR
        if makes_administrator != account.is_administrator:
            store = session.writing(Right.PEOPLE)
            make_administrator(store, account.name, is_administrator=makes_administrator)
        if not makes_administrator:
            role = None if chosen == NO_ROLE else Role(chosen)
            give_role(session.writing(Right.MEMBERS), account.name, session.project_id(), role)


def _take_shown_name(account: Account, key: str, right: Right) -> None:
    with said_next("the name could not be changed"):
        store = current_session().writing(right)
        rename_account(store, account.name, account.name, st.session_state[key])


def _add(is_alone: bool) -> None:
    with said_next("the person could not be added"):
        session = current_session()
        store = session.writing(Right.PEOPLE)
        role = Role(st.session_state[ROLE_KEY])
        if is_alone and (own := st.session_state[OWN_NAME_KEY].strip()):
            me = list_accounts(store)[0]
            rename_account(store, me.name, own, st.session_state[OWN_SHOWN_KEY])
        added = add_account(
            store,
            st.session_state[NAME_KEY],
            display_name=st.session_state[SHOWN_KEY],
            is_administrator=role is Role.ADMINISTRATOR,
        )
        if role is not Role.ADMINISTRATOR:
            give_role(store, added.name, session.project_id(), role)
        without = [a for a in list_accounts(store) if not (a.has_password or a.is_closed)]
        _show_links(*(without if is_alone else [added]))
        st.session_state[NAME_KEY] = st.session_state[SHOWN_KEY] = ""


def _invite(account: Account) -> None:
    with said_next("the link could not be made"):
        current_session().require(Right.PEOPLE)
        _show_links(account)


def _show_links(*accounts: Account) -> None:
    store = current_session().writing(Right.PEOPLE)
    here = str(st.context.url or "").split("?")[0].rstrip("/").rpartition("/")[0]
    st.session_state[LINKS_KEY] = {
        account.shown: f"{here}/sign-in?link={invite(store, account.name)}" for account in accounts
    }


def _close(account: Account) -> None:
    with said_next("the account could not be closed"):
        close_account(current_session().writing(Right.PEOPLE), account.name)


def _reopen(account: Account) -> None:
    with said_next("the account could not be reopened"):
        reopen_account(current_session().writing(Right.PEOPLE), account.name)
