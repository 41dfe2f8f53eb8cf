"""The container's files, checked without Docker: linters, and what the files promise."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from core.paths import PROJECT_ROOT
from tests.support.browser.server import Server
from tests.support.models.tiny_bundle import write_tiny_bundle

DOCKERFILE = PROJECT_ROOT / "Dockerfile"
COMPOSE = PROJECT_ROOT / "compose.yaml"
LOCK = PROJECT_ROOT / "requirements.lock"
BIN = Path(sys.executable).parent
# What each package that only training uses is imported as.
IMPORTED_AS = {"accelerate": "accelerate", "omikuji": "omikuji"}


def instructions(name: str) -> list[str]:
    """What follows each instruction of this name, continued lines joined."""
    text = re.sub(r"\\\n", " ", DOCKERFILE.read_text("utf-8"))
    return [line.split(maxsplit=1)[1] for line in text.splitlines() if line.startswith(f"{name} ")]


def locked() -> dict[str, str]:
    """Name and version of each package of the lock file, of which all have a hash."""
    text = LOCK.read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = {}
    for line in lines:
        pinned, *hashes = re.split(r"\s+--hash=", line.strip())
        assert hashes and all(re.fullmatch(r"sha256:[0-9a-f]{64}", hashed) for hashed in hashes)
        requirement = Requirement(pinned)
        found[canonicalize_name(requirement.name)] = str(requirement.specifier).removeprefix("==")
    return found


def services() -> dict[str, dict[str, object]]:
    return dict(yaml.safe_load(COMPOSE.read_text("utf-8"))["services"])


def service() -> dict[str, object]:
    """The one service of the compose file that starts without a profile."""
    (only,) = (found for found in services().values() if "profiles" not in found)
    return only


def check(*command: object) -> None:
    run = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_hadolint_has_nothing_to_say() -> None:
    check(BIN / "hadolint", "--failure-threshold", "style", DOCKERFILE)


def test_the_compose_file_is_one() -> None:
    check(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE)


def test_what_it_installs_is_held_to_hashes_within_the_ranges_of_the_requirements() -> None:
    versions = locked()
    lines = (PROJECT_ROOT / "requirements.txt").read_text("utf-8").splitlines()
    asked = [Requirement(line) for line in lines if line and not line.startswith("#")]
    for requirement in asked:
        if requirement.name not in (*IMPORTED_AS, "torch"):
            assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)])
    needed = [Requirement(line) for line in metadata.requires("torch") or [] if "extra" not in line]
    for requirement in needed:
        if requirement.marker is None:  # CUDA's libraries have markers
            assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)])
    assert "http" not in re.sub(r"^http\w+==", "", LOCK.read_text("utf-8"), flags=re.MULTILINE)
    assert "--require-hashes --requirement requirements.lock" in DOCKERFILE.read_text("utf-8")


def test_it_runs_without_rights_that_it_does_not_need() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", instructions("USER")[-1])
    assert service()["cap_drop"] == ["ALL"]
    assert service()["read_only"] is True


def test_only_this_machine_reaches_it() -> None:
    ports = [port for found in services().values() for port in found.get("ports", ())]  # type: ignore[attr-defined]
    assert len(ports) == 2
    assert all(str(port).startswith("127.0.0.1:") for port in ports)


def test_a_team_is_reached_by_its_proxy_alone() -> None:
    team = {name: found for name, found in services().items() if found.get("profiles")}
    assert sorted(team) == ["app1", "app2", "database", "proxy"]
    assert all(found["profiles"] == ["team"] for found in team.values())
    assert [name for name, found in team.items() if "ports" in found] == ["proxy"]
    assert [name for name, found in team.items() if "outside" in found["networks"]] == ["proxy"]  # type: ignore[operator]
    alone = service()
    for name in ("app1", "app2"):
        for kept in ("volumes", "read_only", "tmpfs", "cap_drop", "security_opt"):
            assert team[name][kept] == alone[kept]


def test_what_people_decide_lies_in_the_volume() -> None:
    (volume,) = instructions("VOLUME")
    assert f"STRATA_HOME={volume}" in instructions("ENV")[-1].split()
    assert service()["volumes"] == [f"data:{volume}"]


def test_it_is_asked_whether_it_is_well() -> None:
    (line,) = instructions("HEALTHCHECK")
    command = json.loads(line[line.index("CMD") + len("CMD") :])
    ast.parse(command[-1])
    assert "/_stcore/health" in command[-1]


def check_health(server: Server) -> None:
    """Run the container's check on this server."""
    line = instructions("HEALTHCHECK")[0]
    program, *arguments = json.loads(line[line.index("CMD") + len("CMD") :])
    assert program == "python"
    command = [argument.replace("8501", str(server.port)) for argument in arguments]
    done = subprocess.run(
        [sys.executable, *command], env=server.environment, timeout=120, check=False
    )
    assert done.returncode == 0


def test_nothing_but_the_program_goes_into_the_image() -> None:
    lines = (PROJECT_ROOT / ".dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    allowed = {rule[1:] for rule in rules if rule.startswith("!")}
    assert not allowed & {"var", "runs", "data", ".git", ".venv"}
    local = [line for line in instructions("COPY") if not line.startswith("--from")]
    copied = {source for line in local for source in line.split()[:-1]}
    assert copied == allowed
    assert all((PROJECT_ROOT / source).exists() for source in copied)
    assert any(fnmatch("core/__pycache__", rule) for rule in rules[1:])


def test_what_is_left_out_of_the_image_is_for_training_alone() -> None:
    listed = (PROJECT_ROOT / "requirements.txt").read_text("utf-8")
    assert all(re.search(rf"^{name}\b", listed, re.MULTILINE) for name in IMPORTED_AS)
    (pattern,) = re.findall(
        r"sed '/\^\\\((.*?)\\\)", (PROJECT_ROOT / "Makefile").read_text("utf-8")
    )
    assert set(pattern.split(r"\|")) == {*IMPORTED_AS, "torch"}
    assert not set(IMPORTED_AS) & set(locked())
    asking = re.compile(
        rf"^\s*(?:import|from) (?:{'|'.join(IMPORTED_AS.values())})\b", re.MULTILINE
    )
    files = [f for room in ("core", "pages") for f in (PROJECT_ROOT / room).rglob("*.py")]
    assert [str(f) for f in files if asking.search(f.read_text("utf-8"))] == []


@pytest.mark.skipif(os.name != "posix", reason="the container's command is for Linux")
def test_its_command_starts_the_server(tmp_path: Path) -> None:
    program, *arguments = json.loads(instructions("CMD")[-1])
    assert program == "python"
    assert "--server.address=0.0.0.0" in arguments
    (home,) = instructions("VOLUME")
    named = dict(item.split("=", 1) for item in instructions("ENV")[-1].split() if "=" in item)
    assert (named["STRATA_HOME"], named["STRATA_MAKE_ACCESS_KEY"]) == (home, "1")
    write_tiny_bundle(tmp_path / "tiny")  # which is loaded sooner than the shipped one
    server = Server(
        tmp_path / "home", STRATA_MAKE_ACCESS_KEY="1", STRATA_BUNDLE=str(tmp_path / "tiny")
    )
    inside = [argument for argument in arguments if not argument.startswith("--server.port")]
    server.command = [*inside, f"--server.port={server.port}"]
    server.start()
    try:
        server.wait_for_model()
        log = (server.home / "server.log").read_text()
        (key,) = re.findall(r"Access key \(shown once, kept in .*\): (\S+)", log)
        assert server.headers() == {"Authorization": f"Bearer {key}"}
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{server.url}api/health", timeout=60)
        check_health(server)
    finally:
        server.kill()
