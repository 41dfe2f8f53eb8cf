"""Tests are laid out as the code is, and none leans on another."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from core.paths import PROJECT_ROOT

TESTS = PROJECT_ROOT / "tests"
FILES = sorted(TESTS.rglob("test_*.py"))
MOST_FILES = 15
MOST_LINES = 400


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def test_no_folder_holds_more_than_one_can_look_over() -> None:
    crowded = {
        str(folder.relative_to(TESTS)): number
        for folder, number in Counter(path.parent for path in FILES).items()
        if number > MOST_FILES
    }
    assert crowded == {}


def test_no_file_is_too_long_to_read() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in TESTS.rglob("*.py")}
    assert [path.name for path, lines in lengths.items() if lines > MOST_LINES] == []


def test_fixtures_live_in_conftest_or_support() -> None:
    found = [
        f"{path.relative_to(TESTS)}: {node.name}"
        for path in FILES
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(mark).startswith("pytest.fixture") for mark in node.decorator_list)
    ]
    assert found == []


def test_no_test_file_imports_from_another() -> None:
    found = [
        f"{path.relative_to(TESTS)}: {node.module}"
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("tests.")
        and (node.module or "").rpartition(".")[2].startswith("test_")
    ]
    assert found == []
