"""What is clinical is asked for at its door, and vocabularies ask for nothing above them."""

from __future__ import annotations

from tests.support.structure import Module, import_graph

INSIDE = "core.clinical"
# What fits the rankers and the network that ship computes the same features, and what packs the published lists
# writes what the inside reads.
FITS_WHAT_SHIPS = {
    "training.cli.codes",
    "training.codes.assertion_lines",
    "training.codes.assertion_networks",
    "training.codes.assertions",
    "training.codes.fitting",
    "training.shipping.code_edits",
    "training.shipping.code_sets",
}
BELOW_VOCABULARIES = {
    "core.boundaries",
    "core.encoding",
    "core.errors",
    "core.home",
    "core.paths",
    "core.processes",
    "core.settings",
}


def is_inside(name: str, program: dict[str, Module]) -> bool:
    """Whether a module stands in a folder of the clinical package, and not beside its door."""
    return name.startswith(f"{INSIDE}.") and (
        name.count(".") > INSIDE.count(".") + 1 or program[name].is_package
    )


def test_nothing_outside_asks_for_the_inside(program: dict[str, Module]) -> None:
    asked = {
        (name, target)
        for name, targets in import_graph(program).items()
        if not name.startswith(INSIDE)
        for target in targets
        if is_inside(target, program)
    }
    assert {name for name, _ in asked} == FITS_WHAT_SHIPS, sorted(asked)


def test_vocabularies_import_nothing_from_above(program: dict[str, Module]) -> None:
    above = {
        (name, target)
        for name, targets in import_graph(program).items()
        if name.startswith("core.vocabulary")
        for target in targets
        if not target.startswith("core.vocabulary") and target not in BELOW_VOCABULARIES
    }
    assert above == set()


def test_what_is_below_vocabularies_imports_none_of_them(program: dict[str, Module]) -> None:
    graph = import_graph(program)
    assert not [name for name in BELOW_VOCABULARIES for target in graph[name] if "vocab" in target]
