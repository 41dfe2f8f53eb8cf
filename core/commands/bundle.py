"""`python -m core bundle`: send a model bundle to a folder or a model hub, bring one, show its card."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option, Typer

from core.commands.options import PLAIN
from core.errors import BundleError
from core.model.bundle import hub
from core.model.bundle.hub_card import card_of
from core.model.bundle.manifest import read_manifest, what_is_held
from core.settings import Settings

DESCRIPTION = """\
Send a model bundle to a folder or a model hub, bring one from there, or show its card. Every file is
compared with its checksum. Nothing leaves or enters this machine but for an address with hf://."""

Bundle = Annotated[Path, Argument(metavar="BUNDLE", help="folder of the bundle")]

app = Typer(help=DESCRIPTION, **PLAIN)


@app.command()
def push(
    bundle: Bundle,
    target: Annotated[str, Argument(metavar="TARGET", help="a folder, or hf://OWNER/NAME")],
    *,
    public: Annotated[
        bool, Option("--public", help="let everybody see a repository that is made")
    ] = False,
) -> None:
    """Send a bundle to a folder or a hub."""
    sha256 = hub.push(bundle, target, private=not public)
    if note := what_is_held(read_manifest(bundle)):
        print(note)
    print(f"pushed {sha256[:16]} to {target}")


@app.command()
def pull(
    source: Annotated[
        str, Argument(metavar="SOURCE", help="a folder, or hf://OWNER/NAME[@REVISION]")
    ],
    *,
    out: Annotated[
        Path | None, Option(help="folder of the bundle (its name in models of STRATA_HOME)")
    ] = None,
    sha256: Annotated[str, Option(help="what has to identify it, or the start of it")] = "",
) -> None:
    """Bring a bundle, to be served here."""
    models_folder = Settings.from_env().own_models
    target = (out or models_folder / _name(source)).resolve()
    pulled = hub.pull(source, target, sha256=sha256)
    print(f"pulled {pulled[:16]} to {target}")
    if target.parent == models_folder:
        print("The Models page of this installation has it now.")
    print(f"python -m core suggest --bundle {target} --input FILE --output -")


@app.command()
def card(bundle: Bundle) -> None:
    """Print the card of a bundle, as a hub reads it."""
    sys.stdout.write(card_of(bundle))


def _name(source: str) -> str:
    if source.startswith(hub.SCHEME):
        return hub.repository_of(source)[0].partition("/")[2]
    name = Path(source).resolve().name
    if not name or name.startswith("."):
        raise BundleError(f"{source} gives the bundle no name: name its folder with --out.")
    return name
