"""Importing a vocabulary: files, what is built in, progress, and the report."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.errors import StrataError, VocabularyError
from core.roles import Right
from core.vocabulary.readers import BUILT_IN, READERS
from core.vocabulary.versions.keeping import built_in_version
from core.vocabulary.versions.vocabulary_versions import VocabularyVersion
from pages import opening
from pages.components.markdown import escaped
from pages.components.progress import Progress, follow_progress
from pages.messages import upload_problem
from pages.serving import current_session
from pages.vocabularies.names import title_of

MOST_MEGABYTES = 200
# SKOS is the last reader of the registry, and the first that a person is named.
SUFFIXES = tuple(
    dict.fromkeys(suffix for reader in reversed(READERS) for suffix in reader.suffixes)
)
MOST_MENDED = 500
UPLOAD_KEY = "vocabulary_upload"
ROUND_KEY = "vocabulary_round"
PROBLEM_KEY = "vocabulary_problem"
BUSY = "Another vocabulary is being read; wait for it, then try again."
ID_TAKEN = (
    "Another vocabulary is called {taken} here: its concept scheme has another URI. So this is a "
    "vocabulary of its own, {own}, and no version of that one."
)
SKOS_FILES = (
    "**SKOS** as RDF/XML, Turtle or N-Triples, also as .gz or .zip. Import a file of more than "
    f"{MOST_MEGABYTES} MB with `python -m core vocabulary FILE --import`."
)
CODE_FILES = """\
**A table of codes** as .csv, with the columns code, parent, label and, where wanted, synonyms
(separated by |). It is called as its file: one that begins with icd10pcs, icd10cm or icd9cm is of
that code system, and has its rules.

**ICD-9-CM**, where you have other files of it: the .zip of a release, a tree of codes and titles
(.tsv), a table of code and description (.csv). Choose them together: they are read as one."""


def render_import() -> None:
    """Draw a place for files, what is built in, the progress, and the report of the last import."""
    importer = current_session().server.importer
    if importer.state.is_running:
        follow_progress(_progress)
        return
    is_clinical = opening.is_clinical()
    kinds = "SKOS, a table of codes, or ICD-9-CM" if is_clinical else "A thesaurus in SKOS"
    st.file_uploader(
        f"{kinds}. What is in use changes only when you take it.",
        accept_multiple_files=True,
        max_upload_size=MOST_MEGABYTES,
        help=SKOS_FILES,
        key=f"{UPLOAD_KEY}_{st.session_state.get(ROUND_KEY, 0)}",
        on_change=_begin,
    )
    with st.expander("Code systems", expanded=is_clinical):
        st.markdown(f"The field above takes these as well.\n\n{CODE_FILES}")
        for vocabulary_id in BUILT_IN:
            render_built_in(vocabulary_id)
    state = importer.state
    problem = st.session_state.pop(PROBLEM_KEY, "") or state.problem
    if problem:
        st.error(escaped(problem), icon=":material/error:")
    if state.entry is not None:
        render_report(state.entry)


def render_built_in(vocabulary_id: str) -> None:
    """A code system that needs no file; a line that is there until it was imported."""
    try:
        if built_in_version(current_session().server.versions, vocabulary_id) is not None:
            return
    except VocabularyError:
        return
    name = title_of(vocabulary_id)
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"built_in_{vocabulary_id}"
    ):
        st.markdown(f"**{name}** needs no file: it comes with the program, and is read once.")
        st.button(
            f"Import {name}",
            key=f"import_{vocabulary_id}",
            on_click=_begin_built_in,
            args=(vocabulary_id,),
        )


def _progress() -> list[Progress]:
    state = current_session().server.importer.state
    if not state.is_running:
        return []
    verb = "Reading" if state.stage == "reading" else "Storing"
    return [Progress(f"{verb} {escaped(state.file_name)}", share=state.share or 0.0)]


def render_report(entry: VocabularyVersion) -> None:
    """Draw what the file holds, and what had to be mended."""
    facts = entry.report
    verb = "were" if ", " in entry.file_name else "was"
    st.success(escaped(f"{title_of(entry.file_name)} {verb} read in {facts['seconds']} s."))
    if "vocabulary_id" in facts and entry.vocabulary_id != facts["vocabulary_id"]:
        sentence = ID_TAKEN.format(taken=facts["vocabulary_id"], own=entry.vocabulary_id)
        st.info(escaped(sentence), icon=":material/info:")
    if (name := title_of(entry.vocabulary_id)) != entry.vocabulary_id:
        st.markdown(escaped(f"It is called {name}, and its id is {entry.vocabulary_id}."))
    levels = ", ".join(f"{count:,}" for count in facts["levels"])
    languages = ", ".join(code or "none stated" for code in facts["languages"])
    st.markdown(
        f"**{facts['concepts']:,}** concepts, {facts['deprecated']:,} of them withdrawn · "
        f"**{facts['edges']:,}** links to broader concepts · {facts['top_concepts']:,} at the top"
    )
    if "assignable" in facts:
        st.markdown(codes_found(facts))
    st.caption(f"By level: {levels}. Languages: {escaped(languages)}.")
    mended: list[dict[str, Any]] = facts["mended"]
    if not mended:
        st.markdown("Nothing had to be mended.")
        return
    with st.expander(f"Mended: {len(mended):,}"):
        if len(mended) > MOST_MENDED:
            st.caption(f"The first {MOST_MENDED}; all with python -m core vocabulary FILE --json.")
        st.dataframe(
            [
                {"What": mending["problem"], "Done": mending["action"]}
                for mending in mended[:MOST_MENDED]
            ],
            hide_index=True,
        )


def codes_found(facts: dict[str, Any]) -> str:
    """Return the sentence that only code systems have."""
    categories = facts.get("categories", 0)
    parts = [f"**{facts['assignable'] - categories:,}** codes that can be assigned"]
    if categories:
        parts.append(
            f"{categories:,} with codes below, assigned in a project of this vocabulary, "
            "but not beside a code system"
        )
    if facts["attached"]:
        parts.append(f"{facts['attached']:,} that the titled tree does not have")
    if facts["untitled"]:
        parts.append(f"{facts['untitled']:,} divisions without a title")
    return " · ".join(parts)


def _begin() -> None:
    number = st.session_state.get(ROUND_KEY, 0)
    uploads = st.session_state.get(f"{UPLOAD_KEY}_{number}")
    if not uploads:
        return
    st.session_state[ROUND_KEY] = number + 1
    if not _may_import():
        return
    for upload in uploads:
        problem = upload_problem(
            upload.name, upload.size, suffixes=SUFFIXES, most_mb=MOST_MEGABYTES
        )
        if problem:
            st.session_state[PROBLEM_KEY] = problem
            return
    contents = {upload.name: upload.getvalue() for upload in uploads}
    if not current_session().server.importer.start_files(contents):
        st.session_state[PROBLEM_KEY] = BUSY


def _may_import() -> bool:
    try:
        current_session().require(Right.VOCABULARIES)
    except StrataError as error:
        st.session_state[PROBLEM_KEY] = str(error)
        return False
    return True


def _begin_built_in(vocabulary_id: str) -> None:
    if not _may_import():
        return
    importer = current_session().server.importer
    if not importer.start_built_in(vocabulary_id, title_of(vocabulary_id)):
        st.session_state[PROBLEM_KEY] = BUSY
