"""Folders, files and names stay in their bounds; what does not fit yet is listed, and lists shrink."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.support import structure
from tests.support.structure import PROJECT_ROOT, Module

CROWDED: tuple[str, ...] = ()
DOUBLED: tuple[str, ...] = ()


def holds(found: Iterable[str], known: Iterable[str]) -> None:
    """Nothing new, and nothing on the list that is mended by now."""
    here = set(found)
    assert sorted(here - set(known)) == [], "new"
    assert sorted(set(known) - here) == [], "mended: take it off the list"


def test_a_folder_has_at_most_fifteen_modules(program: dict[str, Module]) -> None:
    holds(structure.crowded_folders(program), CROWDED)


def test_no_file_is_longer_than_four_hundred_lines(program: dict[str, Module]) -> None:
    assert structure.long_files(program) == {}
    assert structure.long_files(structure.read_modules(PROJECT_ROOT, ["tests"])) == {}


def test_a_class_name_exists_once(program: dict[str, Module]) -> None:
    holds(structure.doubled_class_names(program), DOUBLED)


def write(root: Path, **files: str) -> dict[str, Module]:
    for name, text in files.items():
        path = root.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    return structure.read_modules(root)


def test_circles_are_seen_also_where_imports_are_late_or_for_types(tmp_path: Path) -> None:
    modules = write(
        tmp_path,
        core__a="from core import b\n",
        core__b="def f():\n    from core.c import x\n",
        core__c="if TYPE_CHECKING:\n    import core.a\nx = 1\n",
        core__d="import core.a\n",
    )
    assert structure.circles(structure.import_graph(modules)) == [["core.a", "core.b", "core.c"]]
    assert structure.longest_chain(structure.import_graph(modules)) == []
    assert structure.single_importers(tmp_path, modules) == {"core.b": "core.a", "core.c": "core.b"}


def test_the_longest_chain_of_imports_is_found(tmp_path: Path) -> None:
    modules = write(
        tmp_path,
        core__a="from core import b, d\n",
        core__b="from core import c\n",
        core__c="from core import d\n",
        core__d="x = 1\n",
    )
    chain = structure.longest_chain(structure.import_graph(modules))
    assert chain == ["core.a", "core.b", "core.c", "core.d"]


def test_doubled_classes_and_long_functions_are_seen(tmp_path: Path) -> None:
    body = "\n".join(f"    x{n} = {n}" for n in range(31))
    modules = write(
        tmp_path,
        core__a="class A:\n    pass\n",
        pages__b=f"class A:\n    pass\ndef f():\n    '''Doc.'''\n{body}\n",
    )
    assert structure.doubled_class_names(modules) == {"A": ["core.a", "pages.b"]}
    assert structure.long_functions(modules) == {"pages.b.f": 31}
    assert structure.crowded_folders(modules, 0) == {"core": 1, "pages": 1}
