"""Annif's own client and backend, unmodified, ask a running Strata for suggestions."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import __version__
from core.api.protection.program_keys import LEARN, PROGRAM_KEYS_FILE, READ, ProgramKeys
from tests.support import fakes
from tests.support.annif import MISSING, annif_program, call_client, run_annif
from tests.support.browser.server import Server
from tests.support.rest import HERRING, URI

pytestmark = pytest.mark.skipif(annif_program("annif") is None, reason=MISSING)


def base(server: Server, *scopes: str) -> str:
    """The address for a program, with a key of its own as its password."""
    key = ProgramKeys(server.home / PROGRAM_KEYS_FILE).make("annif", scopes)
    return f"{server.url.replace('://', f'://key:{key}@')}v1/"


def test_the_client_of_annif_gets_suggestions(rest_server: Server) -> None:
    batch = [{"text": "Honey.", "document_id": "doc-0"}]
    info, projects, project, found, cut, several, languages = call_client(
        base(rest_server, READ),
        [
            ("api_info", []),
            ("projects", []),
            ("get_project", ["1"]),
            ("suggest", ["1", HERRING]),
            ("suggest", ["1", HERRING, 2, 0.2]),
            ("suggest_batch", ["1", batch, 1]),
            ("detect_language", ["The quick brown fox jumped over the lazy dog", ["en", "fi"]]),
        ],
    )
    assert info == {"title": "Strata REST API", "version": __version__}
    assert projects == [project] and project["name"] == "tiny"
    assert found[0]["label"] == "fishing quota" and len(found) == 9
    assert cut == found[:2]
    assert several[0]["document_id"] == "doc-0" and several[0]["results"][0]["label"] == "honey"
    assert languages["results"][0]["language"] == "en"


def test_the_client_of_annif_teaches_with_a_key_that_allows_it(rest_server: Server) -> None:
    learned = [{"text": "Sole, sold.", "subjects": [{"uri": f"{URI}104", "label": "sole"}]}]
    (refused,) = call_client(base(rest_server, READ), [("learn", ["1", learned])])
    assert refused.startswith("HTTPError: 403")
    (status,) = call_client(base(rest_server, READ, LEARN), [("learn", ["1", learned])])
    assert status == 204
    assert [event[2] for event in rest_server.events()] == ["add", "finish"]


def test_the_client_of_annif_hears_what_is_wrong(rest_server: Server) -> None:
    gone, refused = call_client(
        base(rest_server, READ), [("suggest", ["99", "a"]), ("suggest", ["1", "a", -1])]
    )
    assert gone == "ValueError: Project '99' not found"
    assert refused.startswith("HTTPError: 400")
    (unknown,) = call_client(f"{rest_server.url}v1/", [("projects", [])])
    assert unknown.startswith("HTTPError: 401")


def test_the_http_backend_of_annif_asks_strata(rest_server: Server, tmp_path: Path) -> None:
    rows = [f"<{URI}{concept_id}>\t{label}" for concept_id, label, *_ in fakes.ROWS]
    (tmp_path / "tiny.tsv").write_text("\n".join(rows))
    endpoint = f"{base(rest_server, READ)}projects/1/suggest"
    (tmp_path / "projects.cfg").write_text(
        f"[strata]\nname=Strata\nlanguage=en\nbackend=http\nvocab=tiny\nlimit=5\nendpoint={endpoint}\n"
    )
    run_annif(tmp_path, "load-vocab", "--language", "en", "tiny", "tiny.tsv")
    shown = run_annif(tmp_path, "show-project", "strata")
    assert "True" in shown.partition("Trained:")[2].splitlines()[0]
    found = run_annif(tmp_path, "suggest", "--limit", "3", "strata", text=HERRING).splitlines()
    assert len(found) == 3
    assert found[0].split("\t")[:2] == [f"<{URI}101>", "fishing quota"]
