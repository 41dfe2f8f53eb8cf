"""Answers of a website on loopback: none leads elsewhere, is too large, or takes too long."""

from __future__ import annotations

import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

from core.documents.fetching.download import Answer, Downloader, FetchLimits
from core.documents.fetching.policy import FetchPolicy
from core.errors import DocumentError
from tests.support.fetch_host import FetchHost


def get(downloader: Downloader, host: FetchHost, path: str) -> Answer:
    return downloader.get(f"http://{host.name}{path}", downloader.deadline(), {})


@pytest.mark.parametrize(
    ("location", "sentence"),
    [
        ("http://169.254.169.254/latest/meta-data", "169.254.169.254 is not allowed"),
        ("https://evil.example/", "evil.example is not allowed"),
        ("//evil.example/", "evil.example is not allowed"),
        ("file:///etc/passwd", "no address of a page"),
        ("http://user@127.0.0.1/", "name or password"),
        ("/round", "more than 5 times"),
    ],
)
def test_every_redirect_is_checked_again(
    location: str, sentence: str, downloader: Downloader, host: FetchHost
) -> None:
    host.redirects["/round"] = location
    with pytest.raises(DocumentError, match=sentence):
        get(downloader, host, "/round")
    assert set(host.paths) == {"/round"}


def test_a_redirect_within_the_host_is_followed(downloader: Downloader, host: FetchHost) -> None:
    host.redirects["/here"] = "packed"
    answer = get(downloader, host, "/here")
    assert answer.address.endswith("/packed")
    assert answer.content.endswith(b"sweet.</p></body></html>")


def test_a_listed_host_that_leads_inside_is_not_connected_to(host: FetchHost) -> None:
    policy = FetchPolicy((f"acts.example:{host.server_port}",))
    for inside in ("127.0.0.1", "10.0.0.1", "::ffff:127.0.0.1"):
        downloader = Downloader(policy, resolver=lambda *_, to=inside: ["147.67.34.45", to])
        with pytest.raises(DocumentError, match="an address inside a network"):
            downloader.get(f"https://acts.example:{host.server_port}/", downloader.deadline(), {})
    assert host.asked == []


def test_a_name_is_resolved_once_and_that_very_address_connected_to(host: FetchHost) -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    policy = FetchPolicy((f"acts.example:{host.server_port}",), allows_loopback=True)
    downloader = Downloader(policy, resolver=lambda *_: next(answers))
    address = f"http://acts.example:{host.server_port}/packed"
    assert downloader.get(address, downloader.deadline(), {}).status == 200
    assert host.asked[0][1]["Host"] == f"acts.example:{host.server_port}"
    with pytest.raises(DocumentError, match=r"leads to 10\.0\.0\.1"):
        downloader.get(address, downloader.deadline(), {})


@pytest.mark.parametrize("path", ["/drip", "/dripheaders"])
def test_a_slow_drip_ends_when_the_whole_time_is_up(
    path: str, downloader: Downloader, host: FetchHost
) -> None:
    downloader.limits = FetchLimits(seconds=1)
    began = time.monotonic()
    with pytest.raises(DocumentError, match="did not answer in full within 1 seconds"):
        get(downloader, host, path)
    assert time.monotonic() - began < 10


def test_a_resolver_that_does_not_answer_ends_in_time(host: FetchHost) -> None:
    waiting = threading.Event()

    def resolver(*_: object) -> list[str]:
        waiting.wait(30)
        return []

    policy = FetchPolicy(("acts.example",))
    downloader = Downloader(policy, limits=FetchLimits(seconds=0.2), resolver=resolver)
    with pytest.raises(DocumentError, match="did not answer in full"):
        downloader.get("https://acts.example/", downloader.deadline(), {})
    waiting.set()


@pytest.mark.parametrize("path", ["/long", "/bomb"])
def test_what_is_too_large_packed_or_unpacked_is_refused(
    path: str, downloader: Downloader, host: FetchHost
) -> None:
    with pytest.raises(DocumentError, match=r"more than 0\.5 MB"):
        get(downloader, host, path)


def test_an_answer_that_breaks_off_is_no_text(downloader: Downloader, host: FetchHost) -> None:
    with pytest.raises(DocumentError, match="broke off"):
        get(downloader, host, "/torn")


def test_no_proxy_of_the_environment_is_used(
    downloader: Downloader, host: FetchHost, monkeypatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert get(downloader, host, "/packed").status == 200


def test_a_certificate_has_to_be_of_the_listed_name(host: FetchHost, tmp_path: Path) -> None:
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=acts.example "
        "-addext subjectAltName=DNS:acts.example -keyout key.pem -out certificate.pem"
    )
    subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    host.socket = serving.wrap_socket(host.socket, server_side=True)
    trusted = ssl.create_default_context(cafile=str(tmp_path / "certificate.pem"))
    names = [f"{name}:{host.server_port}" for name in ("acts.example", "other.example")]
    downloader = Downloader(
        FetchPolicy(tuple(names), allows_loopback=True),
        resolver=lambda *_: ["127.0.0.1"],
        ssl_context=trusted,
    )
    good, bad = (f"https://{name}/packed" for name in names)
    assert downloader.get(good, downloader.deadline(), {}).status == 200
    with pytest.raises(DocumentError, match="its certificate is not trusted here"):
        downloader.get(bad, downloader.deadline(), {})
