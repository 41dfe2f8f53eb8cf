"""Whether everything of this installation is whole: what `python -m core doctor` says, on a page."""

from __future__ import annotations

import streamlit as st

from core.commands.doctor import HealthFinding, examine
from pages.components.markdown import escaped
from pages.serving import running_server

FINDINGS_KEY = "health_findings"


def render_health() -> None:
    """Draw the button that looks, and what was found."""
    st.markdown(
        "Looks whether database, models, vocabularies, rights and disk are in order. Nothing is "
        "changed, and nothing is sent anywhere. With large models this takes some seconds."
    )
    st.button("Look now", icon=":material/health_and_safety:", key="health_look", on_click=_look)
    findings: list[HealthFinding] | None = st.session_state.get(FINDINGS_KEY)
    if findings is None:
        return
    wrong = [finding for finding in findings if not finding.is_well]
    if not wrong:
        st.success("Everything is whole.", icon=":material/check:")
    for finding in wrong:
        sentence = f"**{finding.subject}.** {escaped(finding.sentence)} {escaped(finding.remedy)}"
        st.error(sentence, icon=":material/error:")
    well = [finding for finding in findings if finding.is_well]
    rows = "\n".join(f"| {finding.subject} | {escaped(finding.sentence)} |" for finding in well)
    st.markdown(f"| | |\n| --- | --- |\n{rows}")


def _look() -> None:
    st.session_state[FINDINGS_KEY] = examine(running_server().settings)
