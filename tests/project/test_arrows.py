"""Imports run one way: training → core ← pages ← streamlit_app.py, and torch is loaded late."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT
from tests.support.structure import Module, circles, import_graph

ROOMS = ("core", "training", "pages")
FORBIDDEN = {
    "core": {"streamlit", "training", "pages", "streamlit_app", "tests"},
    "training": {"streamlit", "pages", "streamlit_app", "tests"},
    "pages": {
        "sqlalchemy",
        "alembic",
        "torch",
        "transformers",
        "training",
        "streamlit_app",
        "tests",
    },
    "streamlit_app.py": {"sqlalchemy", "alembic", "torch", "transformers", "training", "tests"},
}
HEAVY = {"torch", "transformers", "accelerate", "omikuji", "sklearn"}
FOR_TYPES = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
BROWSABLE = ("core/vocabulary", "core/review", "core/export", "core/documents", "core/metrics")


# Circles that are still to be opened; the list only shrinks.
CIRCLES: list[list[str]] = []


def sources(*places: str) -> list[Path]:
    """Python files of rooms that exist; those that do not are still to be built."""
    paths = [PROJECT_ROOT / place for place in places]
    return sorted(
        {file for path in paths for file in (path, *path.rglob("*.py")) if file.is_file()}
    )


def imports(tree: ast.AST) -> Iterator[str]:
    """Dotted names that a tree imports, wherever it does so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _names_from(node)


def _names_from(node: ast.ImportFrom) -> Iterator[str]:
    assert node.level == 0, f"line {node.lineno}: a relative import hides where it leads"
    assert node.module is not None
    yield node.module
    yield from (f"{node.module}.{alias.name}" for alias in node.names)


def at_import(tree: ast.AST) -> Iterator[str]:
    """Dotted names that a tree imports when it runs: in no function, and not for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from imports(node)
        is_late = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or (
            isinstance(node, ast.If) and ast.unparse(node.test) in FOR_TYPES
        )
        if isinstance(node, (ast.stmt, ast.excepthandler)) and not is_late:
            yield from at_import(node)


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


@cache
def early_imports(file: Path) -> set[str]:
    return set(at_import(parsed(file)))


@cache
def module_files(name: str) -> list[Path]:
    """Files that importing a dotted name of this project runs."""
    parts = name.split(".")
    stems = [PROJECT_ROOT.joinpath(*parts[:n]) for n in range(1, len(parts) + 1)]
    files = [file for stem in stems for file in (stem / "__init__.py", stem.with_suffix(".py"))]
    return [file for file in files if file.is_file()]


def loaded_with(file: Path) -> dict[str, Path]:
    """Third-party packages that importing a file loads, each with the file that asks for it."""
    found: dict[str, Path] = {}
    waiting, seen = [file], {file}
    while waiting:
        current = waiting.pop()
        for name in early_imports(current):
            package = name.split(".")[0]
            if package not in ROOMS:
                found.setdefault(package, current.relative_to(PROJECT_ROOT))
                continue
            fresh = set(module_files(name)) - seen
            waiting += fresh
            seen |= fresh
    return found


def test_core_has_modules() -> None:
    assert len(sources("core")) > 10


@pytest.mark.parametrize("room", FORBIDDEN)
def test_arrows_point_one_way(room: str) -> None:
    turned = [
        f"{file.relative_to(PROJECT_ROOT)} imports {name}"
        for file in sources(room)
        for name in imports(parsed(file))
        if name.split(".")[0] in FORBIDDEN[room]
    ]
    assert turned == []


def test_no_module_imports_itself_by_way_of_others(program: dict[str, Module]) -> None:
    """Imports inside functions and under TYPE_CHECKING count: they hide a circle only."""
    found = circles(import_graph(program))
    known = [set(circle) for circle in CIRCLES]
    assert [c for c in found if not any(set(c) <= those for those in known)] == [], "new circles"
    opened = [those for those in known if not any(set(c) <= those for c in found)]
    assert opened == [], "opened: take it off the list"


@pytest.mark.parametrize("room", [*BROWSABLE, "pages", "streamlit_app.py"])
def test_what_only_browses_loads_no_model_library(room: str) -> None:
    early = {
        f"{file.relative_to(PROJECT_ROOT)} loads {package} through {source}"
        for file in sources(room)
        for package, source in loaded_with(file).items()
        if package in HEAVY
    }
    assert early == set()


def test_importing_vocabulary_review_and_export_leaves_torch_alone() -> None:
    """The same for real, with what third-party packages load in their turn."""
    names = [
        ".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts)
        for file in sources(*BROWSABLE, "core/errors.py", "core/settings.py")
        # Alembic runs its scripts itself, inside a migration.
        if "migrations" not in file.parts and file.stem not in {"__init__", "__main__"}
    ]
    code = f"import sys, {', '.join(names)}\nprint(*sorted({HEAVY!r} & sys.modules.keys()))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == ""


def test_a_turned_arrow_would_be_seen(tmp_path: Path) -> None:
    late = "def f():\n    import torch\n\nif TYPE_CHECKING:\n    import omikuji\n"
    file = tmp_path / "module.py"
    file.write_text(f"import numpy\nif True:\n    from scipy import sparse\n{late}")
    assert early_imports(file) == {"numpy", "scipy", "scipy.sparse"}
    assert {"torch", "omikuji"} <= set(imports(ast.parse(file.read_text())))
