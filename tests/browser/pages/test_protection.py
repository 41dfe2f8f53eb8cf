"""The guard stands before all routes of a running server, and its policy is in force."""

from __future__ import annotations

import threading
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.browser.policy import is_report, policy_reports
from tests.support.browser.profile import Profile
from tests.support.browser.server import Server
from tests.support.site_requests import CLOSED, SOCKET, headers_of, table

pytestmark = pytest.mark.browser
STEP = 5  # prime to the number of routes: each of them is asked, refused and let through
UPGRADE = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "MDEyMzQ1Njc4OWFiY2RlZg==",
}


def answer_to(server: Server, path: str, headers: dict[str, str]) -> HTTPResponse:
    with closing(HTTPConnection("localhost", server.port, timeout=30)) as connection:
        connection.putrequest("GET", path, skip_host=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        if answer.status != 101:
            answer.read()
        return answer


def test_every_route_refuses_what_other_sites_send(seeded_server: Server) -> None:
    here = f"localhost:{seeded_server.port}"
    wrong = []
    # test_guard asks for all of them.
    for path, name, refused in list(table())[::STEP]:
        sent = headers_of(name, here) | (UPGRADE if path == SOCKET else {})
        status = answer_to(seeded_server, path, sent).status
        if path == SOCKET:
            right = status == (403 if refused else 101)
        elif refused:
            right = status == refused
        else:
            right = status not in (400, 403, 500) or path.startswith("/api/")
        if not right:
            wrong.append((path, name, refused, status))
    assert wrong == []


def test_pages_scripts_and_answers_carry_the_headers(seeded_server: Server) -> None:
    for path in ("/", "/documents", "/api/health", "/_stcore/health", "/media/none", *CLOSED):
        headers = answer_to(seeded_server, path, {"host": "localhost"}).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff", path
    for path in ("/api/health", "/_stcore/health", "/media/none", "/_stcore/host-config"):
        headers = answer_to(seeded_server, path, {"host": "localhost"}).headers
        assert headers["cache-control"] == "no-store", path


def test_no_page_of_another_site_may_steer_ours(seeded_server: Server) -> None:
    with closing(HTTPConnection("localhost", seeded_server.port, timeout=30)) as connection:
        connection.request("GET", "/_stcore/host-config")
        assert b'"allowedOrigins":[]' in connection.getresponse().read()


def test_a_page_that_breaks_the_policy_is_reported(seeded_server: Server, profile: Profile) -> None:
    page = profile.same_tab(seeded_server.url)
    with policy_reports(page) as reports:
        page.goto(seeded_server.url)
        assert reports == []
        with page.expect_console_message(is_report):
            page.evaluate("fetch('http://127.0.0.1:9/').catch(() => null)")
        assert reports


class _OtherSite(SimpleHTTPRequestHandler):
    """A site with an empty page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Other</title>")

    def log_message(self, *_: object) -> None:
        """Nothing is written."""


def test_a_listed_site_reads_what_programs_may_and_no_other(
    tmp_path: Path, profile: Profile
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _OtherSite) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        listed = f"http://127.0.0.1:{site.server_port}"
        server = Server(tmp_path / "home", fake=True, STRATA_REST="1", STRATA_REST_ORIGINS=listed)
        server.start()
        reads = """async ([address, form]) => {
            const sent = form ? { method: "POST", body: new URLSearchParams(form) } : {};
            return fetch(address, sent).then((r) => r.json()).catch(() => null);
        }"""
        service = f"{server.url}v1/projects/1/reconcile"
        queries = {"queries": '{"q0": {"query": "herring"}}'}
        page = profile.same_tab(server.url)
        page.goto(f"{listed}/")
        assert page.evaluate(reads, [service, None])["versions"] == ["0.2"]
        found = page.evaluate(reads, [service, queries])
        assert found["q0"]["result"][0]["match"] is True
        assert page.evaluate(reads, [f"{server.url}api/health", None]) is None
        page.goto(f"http://localhost:{site.server_port}/")  # of another name
        assert page.evaluate(reads, [service, None]) is None
        server.close()
        site.shutdown()
