"""Acts fetched by CELEX number or address, where the administrator allows it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.documents.fetching.download import Downloader
from core.documents.fetching.policy import FetchPolicy
from core.documents.fetching.reading import fetched_documents, lines_of
from core.documents.language import EU_LANGUAGES
from core.errors import DocumentError
from core.serving.importing import MODEL_LANGUAGE, Import, start_import
from core.settings import Settings
from pages import messages
from pages.adding.report import IMPORT_KEY
from pages.components.markdown import count, plain
from pages.serving import current_session

LINES_KEY, LANGUAGE_KEY = "fetch_lines", "fetch_language"
FETCHED_KEY = "fetched"  # the lines of the last fetch, and what became of them
FIELD_HEIGHT = 110


def fetch_policy(settings: Settings) -> FetchPolicy:
    """Return what the administrator allows."""
    return FetchPolicy(settings.fetch_hosts, settings.fetches_loopback)


def what_is_sent(hosts: Sequence[str], *, asks_elsewhere: bool = False) -> str:
    """Return what leaves the machine, and to whom it goes.

    Args:
        asks_elsewhere: whether a project asks a suggester elsewhere, which is said beside it.
    """
    telemetry = "no telemetry, no fonts or scripts from other hosts"
    never = telemetry if asks_elsewhere else f"{telemetry}, no model behind an address"
    answers = "It answers this machine alone, unless it was started otherwise."
    texts = "no decision anywhere, and texts to the suggester below alone"
    if not hosts:
        sent = texts if asks_elsewhere else "nothing anywhere"
        return (
            f"Strata sends {sent}: {never}. {answers}\n\n"
            "Acts can be fetched by CELEX number where an administrator lists hosts, such as "
            '`STRATA_FETCH="eur-lex.europa.eu publications.europa.eu"`; none is listed here.'
        )
    named = ", ".join(f"`{host}`" for host in hosts)
    sent = texts if asks_elsewhere else "no text and no decision anywhere"
    return (
        f"Strata sends {sent}: {never}. {answers}\n\n"
        "**Fetching is on** (`STRATA_FETCH`). When somebody presses *Fetch*, this server asks "
        f"{named}, and no other host, for the CELEX number or address that was typed, in the "
        "language that was chosen. The host sees these, this server's network address, and the name "
        "Strata with its version; the machine's name server sees the name of the host."
    )


def render_fetch() -> None:
    """Draw the field for numbers and addresses; nothing where no host is allowed."""
    policy = fetch_policy(current_session().settings)
    if not policy.is_on:
        return
    _give_back()
    with st.container(key="fetch_form", gap="small"):
        st.text_area(
            "Or CELEX number or address",
            key=LINES_KEY,
            height=FIELD_HEIGHT,
            placeholder="32019R1020\nhttps://eur-lex.europa.eu/eli/dir/2014/89/oj",
            help="One in each line. What stands here is asked of "
            f"{plain(policy.named)}; nothing else leaves this machine.",
            persist_state="session",
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            languages = sorted(EU_LANGUAGES, key=EU_LANGUAGES.__getitem__)
            st.selectbox(
                "Language of the text",
                languages,
                index=languages.index(MODEL_LANGUAGE),
                format_func=EU_LANGUAGES.__getitem__,
                key=LANGUAGE_KEY,
                persist_state="session",
                width=220,
            )
            st.button("Fetch", key="fetch", on_click=_fetch)


def _fetch() -> None:
    """Begin to fetch what stands in the field; it stays there where that cannot begin."""
    session = current_session()
    policy = fetch_policy(session.settings)
    try:
        lines = lines_of(st.session_state.get(LINES_KEY, ""))
    except DocumentError as error:
        messages.say(str(error))
        return
    language = st.session_state.get(LANGUAGE_KEY, MODEL_LANGUAGE)
    documents = fetched_documents(lines, language, Downloader(policy))
    # The batch keeps where a single act is from; of others, their number says it.
    name = lines[0] if len(lines) == 1 else f"{count(len(lines), 'act')} by number or address"
    taken = start_import(session, name, len(lines), documents, at_once=1)
    st.session_state[IMPORT_KEY] = taken
    st.session_state[FETCHED_KEY] = (lines, taken)
    st.session_state[LINES_KEY] = ""


def _give_back() -> None:
    """Write the lines that brought nothing into the field again, so that nobody types them twice."""
    fetched: tuple[list[str], Import] | None = st.session_state.pop(FETCHED_KEY, None)
    if fetched is None:
        return
    lines, taken = fetched
    failed = {bad.where for bad in taken.bad}
    left = [line for n, line in enumerate(lines) if n >= taken.done or line in failed]
    if left and not st.session_state.get(LINES_KEY):
        st.session_state[LINES_KEY] = "\n".join(left)
