"""The peer: the same tree of native Streamlit elements, nested st.expander with st.button.

Run by `tests.bench.peer` as `streamlit run peer_app.py`; the environment names the tree and the
database. It is written as its documentation would have it: callbacks, keys, one fragment.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import streamlit as st

DATABASE = os.environ["PEER_DATABASE"]
NODES = {node["id"]: node for node in json.loads(Path(os.environ["PEER_TREE"]).read_text("utf-8"))}
TOP = [node_id for node_id, node in NODES.items() if not node["broader"]]


def narrower(node_id: str) -> list[str]:
    return [other for other, node in NODES.items() if node_id in node["broader"]]


def decide(node_id: str, state: str) -> None:
    with closing(sqlite3.connect(DATABASE, timeout=30)) as connection, connection:
        connection.execute(
            "INSERT INTO decision VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state",
            (node_id, state),
        )


def decisions() -> dict[str, str]:
    with closing(sqlite3.connect(DATABASE, timeout=30)) as connection, connection:
        connection.execute("CREATE TABLE IF NOT EXISTS decision (id TEXT PRIMARY KEY, state TEXT)")
        return dict(connection.execute("SELECT id, state FROM decision").fetchall())


def draw(node_id: str, place: str, decided: dict[str, str]) -> None:
    node = NODES[node_id]
    key = f"{place}-{node_id}"
    children = narrower(node_id)
    body = st.expander(node["label"], expanded=True) if children else st.container()
    with body:
        with st.container(horizontal=True):
            st.markdown(f"{node['label']} · {decided.get(node_id, 'open')}")
            st.progress(node["probability"] or 0.0)
            st.button("Accept", key=f"accept-{key}", on_click=decide, args=(node_id, "accepted"))
            st.button("Reject", key=f"reject-{key}", on_click=decide, args=(node_id, "rejected"))
        for child in children:
            draw(child, key, decided)


@st.fragment
def tree() -> None:
    decided = decisions()
    for node_id in TOP:
        draw(node_id, "top", decided)


st.set_page_config(layout="wide")
tree()
