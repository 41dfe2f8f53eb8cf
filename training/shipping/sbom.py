"""What an installation ships, as CycloneDX JSON: `python -m training.shipping.sbom FILE`.

Packages are listed by `cyclonedx-py` from the environment, those alone that `requirements.lock` and
torch bring; models, their encoder and their vocabularies are added from the manifests of the
bundles. `--licences FILE` writes the table of licences in docs/ from the same list.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from core import __version__
from core.commands.options import run_function
from core.model.bundle.manifest import read_manifest
from core.settings import PROJECT_ROOT
from training.results.tables import markdown

LOCK = PROJECT_ROOT / "requirements.lock"
MODELS = PROJECT_ROOT / "assets" / "models"
SPECIFICATION = "1.6"
NOT_LOCKED = ("torch",)  # its wheels come from an index of their own
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==", re.MULTILINE)
MOST_CHARACTERS = 200

LICENCES = """\
# Licences of what is shipped

Strata is under the [Apache Licence 2.0](../LICENSE); [Data and licences](sources.md) says more about data.
`make sbom` writes this page and `strata.cdx.json`, a software bill of materials with the versions that are
installed. Licences are as each package states them.

## Models and vocabularies

{models}

Scripts, styles, pictures and the tables of everyday names in `assets/` are Strata's own. Fonts come with Streamlit (SIL Open Font Licence 1.1).

## Python packages

Those of `requirements.lock`, and torch, which the container image holds.

{packages}
"""

Component = dict[str, Any]


def main(file: Path, *, licences: Path | None = None) -> None:
    """Write what an installation ships into a file, and the page of licences where it is asked for."""
    bom = shipped(environment())
    file.write_text(json.dumps(bom, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if licences is not None:
        licences.write_text(licences_page(bom["components"]), "utf-8")


def environment() -> dict[str, Any]:
    """Return what cyclonedx-py lists of this environment."""
    command = f"-m cyclonedx_py environment --no-validate --spec-version {SPECIFICATION}".split()
    options = ("--output-format", "JSON", "--output-reproducible", sys.executable)
    done = subprocess.run([sys.executable, *command, *options], check=True, stdout=subprocess.PIPE)
    bom: dict[str, Any] = json.loads(done.stdout)
    return bom


def shipped(bom: dict[str, Any]) -> dict[str, Any]:
    """Return the list without tools and training, and with models and vocabularies."""
    names = locked_names(LOCK.read_text("utf-8"))
    packages = [
        _stated(found) for found in bom["components"] if canonicalize_name(found["name"]) in names
    ]
    kept = {found["bom-ref"] for found in packages}
    own = {"type": "application", "name": "strata", "version": __version__, "bom-ref": "strata"}
    licence = [{"license": {"id": "Apache-2.0"}}]
    return bom | {
        "metadata": bom["metadata"] | {"component": own | {"licenses": licence}},
        "components": [*packages, *models()],
        "dependencies": [
            part | {"dependsOn": [name for name in part.get("dependsOn", []) if name in kept]}
            for part in bom["dependencies"]
            if part["ref"] in kept
        ],
    }


def _stated(package: Component) -> Component:
    """A package with its licence, which older ones state in a field that is no longer looked at."""
    if package.get("licenses"):
        return package
    stated = str(metadata(package["name"]).json.get("license") or "see its files")
    return package | {"licenses": [{"license": {"name": stated}}]}


def locked_names(lock: str) -> set[str]:
    """Return the names of the packages that are shipped."""
    return {canonicalize_name(name) for name in (*PINNED.findall(lock), *NOT_LOCKED)}


def models(folder: Path = MODELS) -> list[Component]:
    """Return the bundled models, their vocabularies and encoders, each once."""
    found: dict[str, Component] = {}
    for bundle in sorted(path.parent for path in folder.glob("*/bundle.json")):
        for component in _of_bundle(read_manifest(bundle)):
            found.setdefault(component["bom-ref"], component)
    return list(found.values())


def _of_bundle(manifest: dict[str, Any]) -> Iterator[Component]:
    licence = manifest["licence"]
    encoder, _, encoder_licence = licence["encoder"].rpartition(", ")
    name, version = manifest["name"], str(manifest["vocabulary_version"])
    data = f"Trained on {licence['training_data']}"
    weights = _component("machine-learning-model", f"{name}-model", __version__, licence["weights"])
    yield weights | {"description": data}
    yield _component("machine-learning-model", encoder, "", encoder_licence)
    yield _component("data", manifest["vocabulary_id"], version, licence["vocabulary"])


def _component(kind: str, name: str, version: str, licence: str) -> Component:
    is_id = re.fullmatch(r"[\w.-]+", licence)
    return {
        "type": kind,
        "bom-ref": f"{kind}:{name}@{version}",
        "name": name,
        **({"version": version} if version else {}),
        "licenses": [{"license": {"id" if is_id else "name": licence}}],
    }


def licences_page(components: Iterable[Component]) -> str:
    """Return the page of licences in Markdown."""
    packages, others = [], []
    for found in components:
        if found["type"] == "library":
            packages.append([found["name"], licence_of(found)])
        else:
            others.append([found["name"], found.get("version", ""), licence_of(found)])
    packages.sort(key=lambda row: row[0].lower())
    return LICENCES.format(
        models=markdown(["", "version", "licence"], others),
        packages=markdown(["package", "licence"], packages),
    )


def licence_of(component: Component) -> str:
    """Return the licence of a component, as it states it."""
    stated = [entry.get("license", entry) for entry in component.get("licenses", [])]
    exact = [found.get("id") or found.get("expression") for found in stated]
    named = [str(found.get("name", "")).rpartition(" :: ")[2] for found in stated]
    words = [word for word in exact if word] or [word for word in named if word]
    line = " ".join(", ".join(dict.fromkeys(words)).split())
    return line[:MOST_CHARACTERS]


if __name__ == "__main__":
    sys.exit(run_function(main, "training.shipping.sbom"))
