"""A round of uploads to a real server of Streamlit, in a process of its own as it is one of a kind.

`python -m tests.support.upload_round FOLDER` prints what became of each as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.testclient import TestClient, WebSocketTestSession
from streamlit import config, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.hosting import uploads

SCRIPT = (
    "import streamlit as st\n"
    "st.file_uploader('f') if st.query_params.get('page') == 'files' else st.write('none')\n"
)
TYPE = "multipart/form-data; boundary=b"
PART = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n%s\r\n--b--\r\n'


@contextmanager
def tab(client: TestClient, query: str) -> Iterator[tuple[WebSocketTestSession, str]]:
    """A tab with a page that is drawn; yields its socket and its session."""
    with client.websocket_connect("/_stcore/stream", subprotocols=["streamlit"]) as socket:
        message = BackMsg()
        message.rerun_script.query_string = query
        socket.send_bytes(message.SerializeToString())
        session_id = ""
        while (answer := _received(socket)).WhichOneof("type") != "script_finished":
            if answer.WhichOneof("type") == "new_session":
                session_id = answer.new_session.initialize.session_id
        yield socket, session_id


def named(socket: WebSocketTestSession, n_files: int) -> list[str]:
    """The ids that a tab gets for so many files."""
    message = BackMsg()
    message.file_urls_request.request_id = "r"
    message.file_urls_request.file_names.extend(["a"] * n_files)
    socket.send_bytes(message.SerializeToString())
    while (answer := _received(socket)).WhichOneof("type") != "file_urls_response":
        pass
    return [file.file_id for file in answer.file_urls_response.file_urls]


def put(
    client: TestClient, session_id: str, file_id: str, *, size: int = 5, kind: str = TYPE
) -> int:
    """The status of an upload."""
    path = f"/_stcore/upload_file/{session_id}/{file_id}"
    return client.put(path, content=PART % bytes(size), headers={"content-type": kind}).status_code


def main(folder: Path) -> dict[str, Any]:
    """Upload in all ways."""
    script = folder / "page.py"
    script.write_text(SCRIPT, "utf-8")
    config.set_option("server.enableXsrfProtection", False)
    config.set_option("server.allowedHosts", [])
    uploads.LOOK_SECONDS, uploads.FILES_SECONDS, uploads.TAB_SECONDS = 0.02, 0.1, 0.3
    uploads.MOST_OF_TAB, uploads.MOST_OF_ALL = 3_000, 4_000
    kept = uploads.Uploads()
    app = st.App(
        script,
        lifespan=lambda _: uploads.kept_in_bounds(kept),
        middleware=[Middleware(uploads.UploadGate, uploads=kept)],
    )
    found: dict[str, Any] = {}
    with TestClient(app, base_url="http://localhost") as client:
        manager: Any = runtime.get_instance().uploaded_file_mgr
        with tab(client, "page=none") as (socket, session_id):
            found["made up"] = put(client, session_id, "made-up")
            found["of a page without a place for files"] = named(socket, 2)
        with tab(client, "page=files") as (socket, session_id):
            first, second, third, odd, other = named(socket, 5)
            found["asked for"] = put(client, session_id, first, size=2_000)
            found["a second time"] = put(client, session_id, first)
            found["of another tab"] = put(client, "0123", second)
            found["too much"] = put(client, session_id, second, size=2_000)
            found["a little"] = put(client, session_id, third)
            kinds = [f"{TYPE}; charset={name}" for name in ("idna", "rot13", "utf-7", "punycode")]
            found["charsets"] = [put(client, session_id, odd, kind=kind) for kind in kinds]
            with tab(client, "page=files") as (beside, another):
                (theirs,) = named(beside, 1)
                found["too much for all"] = put(client, another, theirs, size=2_500)
            time.sleep(0.2)
            found["kept while the tab is open"] = len(manager.file_storage[session_id])
        put(client, session_id, other)
        limit = time.monotonic() + 20
        while (session_id in manager.file_storage) and time.monotonic() < limit:
            time.sleep(0.01)
        found["kept when it is closed"] = session_id in manager.file_storage
        while runtime.get_instance()._session_mgr.list_sessions() and time.monotonic() < limit:
            time.sleep(0.01)
        found["sessions"] = len(runtime.get_instance()._session_mgr.list_sessions())
    return found


def _received(socket: WebSocketTestSession) -> ForwardMsg:
    message = ForwardMsg()
    message.ParseFromString(socket.receive_bytes())
    return message


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))) + "\n")
