"""Who runs Strata alone has nothing of clusters, hubs and teams: not installed, imported or listening."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import yaml

from core.paths import PROJECT_ROOT

OF_CLUSTERS = ("ray", "msgpack", "s3fs", "gcsfs", "psycopg", "botocore")
LOADED = """
import sys
import core.commands.suggest, core.serving.server, core.__main__, core.batches.run
print(*sorted(name for name in {names} if name in sys.modules))
"""


def requirements(name: str) -> set[str]:
    text = (PROJECT_ROOT / name).read_text("utf-8")
    return set(re.findall(r"^([A-Za-z][\w.-]*)", text, re.MULTILINE))


def test_requirements_of_clusters_have_a_file_of_their_own() -> None:
    assert "ray" in requirements("requirements-ray.txt")
    for name in ("requirements.txt", "requirements.lock"):
        assert not requirements(name) & {"ray", "s3fs", "gcsfs", "psycopg"}
    ranges = (PROJECT_ROOT / "requirements-ray.txt").read_text("utf-8")
    assert all("<" in line for line in ranges.splitlines() if line and line[0] != "#")


def test_nothing_of_a_cluster_or_a_hub_is_imported() -> None:
    names = (*OF_CLUSTERS, "huggingface_hub", "fsspec", "pyarrow.parquet")
    run = subprocess.run(
        [sys.executable, "-c", LOADED.format(names=names)],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert run.stdout.split() == []


def test_compose_starts_one_service_unless_a_team_is_asked_for() -> None:
    compose = yaml.safe_load((PROJECT_ROOT / "compose.yaml").read_text("utf-8"))
    alone = [name for name, found in compose["services"].items() if "profiles" not in found]
    assert alone == ["strata"]
    environment = json.dumps(compose["services"]["strata"]["environment"])
    assert "DATABASE" not in environment
    assert "networks" not in compose["services"]["strata"]
