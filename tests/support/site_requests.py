"""Requests as browsers and programs send them, and which routes answer them: one table."""

from __future__ import annotations

from collections.abc import Iterator

HERE, ANY = "localhost:8501", "*"

# What sends it: the headers, which hold the server's own address as {here}.
REQUESTS: dict[str, dict[str, str]] = {
    "a program": {},
    "a page of ours": {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"},
    "a page of ours that writes": {
        "origin": "http://{here}",
        "sec-fetch-site": "same-origin",
        "sec-fetch-mode": "cors",
    },
    "a typed address": {
        "sec-fetch-site": "none",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
    },
    "a link elsewhere": {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
    },
    "a link on another port": {
        "sec-fetch-site": "same-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
    },
    "a frame elsewhere": {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "iframe",
    },
    "a script elsewhere": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    "a script on another port": {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    "an old browser's script elsewhere": {"origin": "http://evil.example"},
    # Over plain HTTP in a network, browsers name no site, and an origin only where they post.
    "a page of ours in a network": {"cookie": "a=b", "referer": "http://{here}/documents"},
    "a link elsewhere in a network": {"cookie": "a=b", "referer": "http://evil.example/"},
    "a link in a network that hides where it is": {"user-agent": "Mozilla/5.0 (X11)"},
    "a link in a network with an odd address": {"cookie": "a=b", "referer": "http://[{here}"},
    "a script with a key": {"user-agent": "Mozilla/5.0", "authorization": "Bearer 0123"},
    "a sandbox": {"origin": "null"},
    "another name": {"host": "evil.example"},
    "another name below ours": {"host": "localhost.evil.example"},
    "no name": {"host": ""},
    "a name in brackets": {"host": "[::1]:8501"},
}
REFUSED = {
    "a frame elsewhere": 403,
    "a script elsewhere": 403,
    "a script on another port": 403,
    "an old browser's script elsewhere": 403,
    "a sandbox": 403,
    "another name": 400,
    "another name below ours": 400,
    "no name": 400,
}
LINKS = ("a link elsewhere", "a link on another port")
LINKS_IN_NETWORK = tuple(
    name for name in REQUESTS if name.startswith("a link") and name not in LINKS
)
ASKED = ("/api/", "/v1/")
PAGES = ("/", "/documents", "/settings")
NO_PAGES = (
    "/api/health",
    "/api/annotations",
    "/api/audit",
    "/api/search",
    "/api/concept",
    "/api/narrower",
    "/api/below",
    "/api/outline",
    "/api/decisions",
    "/api/check",
    "/api/drg",
    "/api/hints",
    "/api/evidence",
    "/api/without",
    "/api/support",
    "/api/backup",
    "/api/bundle",
    "/api/export",
    "/v1/",
    "/v1/openapi.json",
    "/v1/vocabs",
    "/v1/projects",
    "/v1/projects/1",
    "/v1/projects/1/suggest",
    "/v1/projects/1/suggest-batch",
    "/v1/projects/1/learn",
    "/v1/detect-language",
    "/v1/projects/1/reconcile",
    "/v1/projects/1/reconcile/suggest/entity",
    "/v1/projects/1/reconcile/suggest/property",
    "/v1/projects/1/reconcile/properties",
    "/media/0123.csv",
    "/static/js/index.js",
    "/component/x/index.html",
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/upload_file/session/file",
    "/_stcore/bidi-components/x/index.js",
)
SOCKET = "/_stcore/stream"
CLOSED = (
    "/_stcore/metrics",
    "/_stcore/metrics/",
    "/_stcore/script-health-check",
    "/_stcore/agent/openapi.json",
)


def table() -> Iterator[tuple[str, str, int]]:
    """Yield route, request and the status that refuses it; 0 where it is let through."""
    for name in REQUESTS:
        for path in PAGES:
            yield path, name, REFUSED.get(name, 0)
        for path in (*NO_PAGES, SOCKET):
            is_link = name in LINKS or (name in LINKS_IN_NETWORK and path.startswith(ASKED))
            yield path, name, 403 if is_link else REFUSED.get(name, 0)
        for path in CLOSED:
            yield path, name, 400 if REFUSED.get(name) == 400 else 404


def headers_of(name: str, here: str = HERE) -> dict[str, str]:
    """The headers of a request to the server at this address."""
    sent = {"host": here} | REQUESTS[name]
    return {key: value.format(here=here) for key, value in sent.items()}
