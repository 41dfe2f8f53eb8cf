"""A file of a library's catalogue: in, and out again with the subjects of the chosen documents."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.errors import DocumentError
from core.export.gathering import Selection
from core.export.marc.records import is_xml
from core.export.marc.updating import UpdatedRecords, write_into
from core.serving.session import note_export
from pages.components.markdown import count, escaped
from pages.messages import MOST_MEGABYTES_SENT, upload_problem
from pages.serving import current_session

UPLOAD_KEY, WRITTEN_KEY = "records_upload", "records_written"
SUFFIXES = ("mrc", "marc", "dat", "xml")
MOST_MEGABYTES = 20
MEANING = (
    "Add a file of records (ISO 2709 or MARCXML). A record that has a document's id in 001, 035 or "
    "856 gets the accepted concepts of that document; those that an earlier export wrote are "
    "replaced. Everything else in it stays, and so do all other records."
)


@dataclass(frozen=True, slots=True)
class WrittenRecords:
    """What came of a file, or why nothing did; and of which file and which documents it is."""

    of: tuple[str, Selection]
    updated: UpdatedRecords | None
    problem: str = ""


def render_records(selection: Selection) -> None:
    """Draw the upload of a file of records, and its outcome."""
    st.markdown("## Write into existing records")
    st.markdown(f":small[{MEANING}]")
    upload = st.file_uploader(
        "Records of your catalogue",
        max_upload_size=MOST_MEGABYTES_SENT,
        help=f"Up to {MOST_MEGABYTES} MB, as .{', .'.join(SUFFIXES)}",
        key=UPLOAD_KEY,
    )
    if upload is None:
        return
    problem = upload_problem(upload.name, upload.size, suffixes=SUFFIXES, most_mb=MOST_MEGABYTES)
    if problem:
        st.error(escaped(problem), icon=":material/error:")
        return
    asked = (upload.file_id, selection)
    if st.button("Write the subjects", key="records_write"):
        with st.spinner("Reading the records …"):
            st.session_state[WRITTEN_KEY] = _write(asked, upload.getvalue())
    written: WrittenRecords | None = st.session_state.get(WRITTEN_KEY)
    if written is not None and written.of == asked:
        _render_written(written)


def _write(asked: tuple[str, Selection], content: bytes) -> WrittenRecords:
    session = current_session()
    try:
        updated = write_into(
            content,
            session.store(),
            asked[1],
            session.hierarchy(),
            language=session.language(),
        )
    except DocumentError as error:
        return WrittenRecords(asked, None, str(error))
    note_export(session, "records", updated.n_matched)
    return WrittenRecords(asked, updated)


def _render_written(written: WrittenRecords) -> None:
    if written.updated is None:
        st.error(escaped(written.problem), icon=":material/error:")
        return
    for sentence in _sentences(written.updated):
        st.markdown(f":material/info: {sentence}")
    if not written.updated.n_changed:
        return
    st.download_button(
        "Download the records",
        data=written.updated.content,
        file_name=f"strata-records.{'xml' if is_xml(written.updated.content) else 'mrc'}",
        on_click="ignore",
        type="primary",
        icon=":material/download:",
        key="records_download",
    )


def _sentences(updated: UpdatedRecords) -> list[str]:
    sentences = [
        f"{updated.n_matched:,} of {count(updated.n_records, 'record')} belong to the chosen "
        f"documents; {updated.n_changed:,} changed, all others are as they were."
    ]
    if updated.n_unread:
        sentences.append(
            f"{count(updated.n_unread, 'record')} could not be read, and stayed as before."
        )
    return sentences
