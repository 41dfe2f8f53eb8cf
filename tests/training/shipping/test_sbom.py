"""The list of what is shipped, and the page of its licences."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from core.settings import PROJECT_ROOT
from tests.support.tables import unpadded
from training.shipping import sbom

PAGE = PROJECT_ROOT / "docs" / "licences.md"
PACKAGES = [
    {
        "type": "library",
        "name": "Jinja2",
        "bom-ref": "j",
        "licenses": [{"expression": "BSD-3-Clause"}],
    },
    {"type": "library", "name": "torch", "bom-ref": "t"},
    {"type": "library", "name": "pytest", "bom-ref": "p", "licenses": [{"license": {"id": "MIT"}}]},
]
BOM = {
    "bomFormat": "CycloneDX",
    "metadata": {},
    "components": PACKAGES,
    "dependencies": [{"ref": "t", "dependsOn": ["j", "p"]}, {"ref": "p"}],
}


def test_tools_are_left_out_and_models_and_vocabularies_are_there() -> None:
    found = sbom.shipped(BOM)
    names = [component["name"] for component in found["components"]]
    assert names[:2] == ["Jinja2", "torch"] and "pytest" not in names
    assert found["dependencies"] == [{"ref": "t", "dependsOn": ["j"]}]
    assert found["metadata"]["component"]["name"] == "strata"
    assert names.count("sentence-transformers/all-MiniLM-L6-v2") == 1
    assert {"eurovoc", "eurovoc-model", "icd10cm", "icd9cm"} <= set(names)
    references = [component["bom-ref"] for component in found["components"]]
    assert len(set(references)) == len(references)


def test_everything_that_is_shipped_states_a_licence() -> None:
    for component in sbom.shipped(BOM)["components"]:
        assert sbom.licence_of(component), component["name"]


@pytest.mark.parametrize(
    ("stated", "licence"),
    [
        ([{"expression": "MIT OR Apache-2.0"}], "MIT OR Apache-2.0"),
        ([{"license": {"name": "License :: OSI Approved :: BSD License"}}], "BSD License"),
        ([{"license": {"id": "MIT"}}, {"license": {"name": "The text of it"}}], "MIT"),
    ],
)
def test_a_licence_is_named_as_it_is_stated(stated: list[object], licence: str) -> None:
    assert sbom.licence_of({"licenses": stated}) == licence


def test_the_page_of_licences_names_all_that_is_locked_and_all_models() -> None:
    lines = unpadded(PAGE.read_text("utf-8")).splitlines()
    rows = [line.split(" | ") for line in lines if " | " in line]
    named = {canonicalize_name(row[0].removeprefix("| ")) for row in rows}
    assert sbom.locked_names(sbom.LOCK.read_text("utf-8")) <= named, "make sbom writes the page"
    models = {canonicalize_name(component["name"]) for component in sbom.models()}
    assert {name for name in models if "/" not in name} <= named
    assert all(row[-1].removesuffix(" |").strip() for row in rows)


@pytest.mark.skipif(find_spec("cyclonedx_py") is None, reason="cyclonedx-bom is not installed")
def test_the_list_is_made_of_what_is_installed(tmp_path: Path) -> None:
    sbom.main(tmp_path / "sbom.json", licences=tmp_path / "licences.md")
    found = json.loads((tmp_path / "sbom.json").read_text("utf-8"))
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", sbom.SPECIFICATION)
    versions = {component["name"]: component.get("version") for component in found["components"]}
    assert versions["torch"].startswith("2.") and "pytest" not in versions
    assert "| torch | " in unpadded((tmp_path / "licences.md").read_text("utf-8"))
