"""The structure of the program in numbers: `python -m tests.support.structure [FOLDER]`.

Nothing is imported: files are read and parsed, so that it can be pointed at any checkout.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import networkx as nx

PROJECT_ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("core", "pages", "training")
APPLICATION = "streamlit_app.py"
LONG_FUNCTION_LINES, LONG_FILE_LINES, SMALL_MODULE_LINES = 30, 400, 100
MOST_SIBLINGS = 15
MOST_COMPLEX = 10
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A Python file, read and parsed.

    Attributes:
        name: dotted; of a package for its `__init__.py`.
    """

    name: str
    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.text)

    @property
    def n_lines(self) -> int:
        """How long it is."""
        return self.text.count("\n")

    @property
    def is_package(self) -> bool:
        """Whether it is the `__init__.py` of a folder."""
        return self.path.name == "__init__.py"


def read_modules(root: Path, folders: Iterable[str] = PACKAGES) -> dict[str, Module]:
    """The modules below some folders of a checkout, by name."""
    files = [file for folder in folders for file in sorted((root / folder).rglob("*.py"))]
    return {module.name: module for module in (_read(root, file) for file in files)}


def _read(root: Path, file: Path) -> Module:
    parts = file.relative_to(root).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, file, file.read_text("utf-8"))


# ---------------------------------------------------------------------- imports


def import_graph(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """What each module imports of the others, also inside functions and for types alone.

    `from package import module` names the module; a package is named where one of its own names is
    imported.
    """
    return {
        name: {target for target in _imported(module.tree, modules) if target != name}
        for name, module in modules.items()
    }


def _imported(tree: ast.AST, modules: Mapping[str, Module]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules or node.module in modules:
                    yield inner if inner in modules else node.module


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import one another, directly or around: strongly connected components."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in sorted(graph.get(name, ())):
            if target not in index:
                visit(target)
            if target in stack:
                low[name] = min(low[name], low[target])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return sorted(found)


def longest_chain(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules of which each imports the next one; none where imports go in circles."""
    arrows = nx.DiGraph([(name, target) for name, those in graph.items() for target in those])
    return nx.dag_longest_path(arrows) if nx.is_directed_acyclic_graph(arrows) else []


def importers(root: Path, modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Which modules import each module; the application's file counts, tests do not."""
    graph = import_graph(modules)
    application = root / APPLICATION
    if application.is_file():
        tree = ast.parse(application.read_text("utf-8"))
        graph[APPLICATION] = set(_imported(tree, modules))
    found: dict[str, set[str]] = {name: set() for name in modules}
    for name, targets in graph.items():
        for target in targets:
            found[target].add(name)
    return found


def single_importers(root: Path, modules: Mapping[str, Module]) -> dict[str, str]:
    """Modules that only one other module imports, with that one; packages are left out."""
    return {
        name: next(iter(those))
        for name, those in importers(root, modules).items()
        if len(those) == 1 and not modules[name].is_package
    }


# ---------------------------------------------------------------------- sizes and names


def crowded_folders(modules: Mapping[str, Module], most: int = MOST_SIBLINGS) -> dict[str, int]:
    """Folders with more modules than that besides `__init__.py`."""
    siblings = Counter(
        name.rpartition(".")[0] for name, module in modules.items() if not module.is_package
    )
    return {folder: count for folder, count in sorted(siblings.items()) if count > most}


def functions(module: Module) -> Iterator[tuple[str, int]]:
    """Each function with the lines of its body, its docstring left out."""
    for node in ast.walk(module.tree):
        if isinstance(node, Function):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            n_lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            yield f"{module.name}.{node.name}", n_lines


def long_functions(modules: Mapping[str, Module]) -> dict[str, int]:
    """Functions with more than thirty lines."""
    found = (pair for module in modules.values() for pair in functions(module))
    return {name: n_lines for name, n_lines in found if n_lines > LONG_FUNCTION_LINES}


def long_files(modules: Mapping[str, Module]) -> dict[str, int]:
    """Modules with more than four hundred lines."""
    return {
        name: module.n_lines
        for name, module in sorted(modules.items())
        if module.n_lines > LONG_FILE_LINES
    }


def doubled_class_names(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """Names of classes that more than one module defines."""
    found: dict[str, list[str]] = {}
    for module in modules.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(module.name)
    return {name: sorted(places) for name, places in sorted(found.items()) if len(places) > 1}


def undocumented(modules: Mapping[str, Module]) -> list[str]:
    """Modules, classes and functions without a docstring, private ones too."""
    kinds = (ast.Module, ast.ClassDef, *Function.__args__)
    return [
        f"{module.name}:{getattr(node, 'lineno', 1)}"
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, kinds) and ast.get_docstring(node) is None
    ]


# ---------------------------------------------------------------------- the table


def table(root: Path) -> list[tuple[str, str]]:
    """Rows of the table: what is counted, and how many."""
    program, tests = read_modules(root), read_modules(root, ["tests"])
    singles, graph = single_importers(root, program), import_graph(program)
    small = [name for name in singles if program[name].n_lines < SMALL_MODULE_LINES]
    n_functions = sum(1 for module in program.values() for _ in functions(module))
    return [
        ("modules in core, pages and training", _number(_count(program))),
        ("lines in them", _number(sum(module.n_lines for module in program.values()))),
        ("modules in tests", _number(_count(tests))),
        ("lines in them", _number(sum(module.n_lines for module in tests.values()))),
        ("functions", _number(n_functions)),
        ("functions over 30 lines", _number(len(long_functions(program)))),
        ("files over 400 lines", _number(len(long_files(program)))),
        ("test files over 400 lines", _number(len(long_files(tests)))),
        ("circles of imports", _number(len(circles(graph)))),
        ("longest chain of imports", _number(len(longest_chain(graph)))),
        ("folders over 15 modules", _number(len(crowded_folders(program)))),
        ("modules with one importer", _number(len(singles))),
        ("of these, under 100 lines", _number(len(small))),
        ("class names that exist twice", _number(len(doubled_class_names(program)))),
        ("without a docstring, private ones too", _number(len(undocumented(program)))),
        ("lint findings, complexity over 10 among them", _lint_findings(root)),
        ("mypy --strict on the program, pages too", _mypy(root)),
    ]


def _count(modules: Mapping[str, Module]) -> int:
    """How many modules there are besides the `__init__.py` of folders."""
    return sum(not module.is_package for module in modules.values())


def _number(count: int) -> str:
    return f"{count:,}"


def _lint_findings(root: Path) -> str:
    rules = ["--config", f"lint.mccabe.max-complexity={MOST_COMPLEX}"]
    options = ["--no-cache", "--quiet", "--output-format", "concise"]
    return str(len(_lines(root, ["ruff", "check", *options, *rules, "."])))


def _mypy(root: Path) -> str:
    found = _lines(root, ["mypy", "--strict", *PACKAGES, APPLICATION])
    return found[-1] if found else ""


def _lines(root: Path, command: list[str]) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-m", *command], cwd=root, capture_output=True, text=True, check=False
    )
    return run.stdout.splitlines()


def main(arguments: list[str]) -> None:
    """Print the table for a checkout, this one by default."""
    root = Path(arguments[0]).resolve() if arguments else PROJECT_ROOT
    for name, value in table(root):
        sys.stdout.write(f"{name:46} {value}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
