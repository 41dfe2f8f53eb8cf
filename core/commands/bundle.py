"""`python -m core bundle`: send a model bundle to a folder or a model hub, bring one, show its card."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.errors import BundleError
from core.model.bundle.hub import SCHEME, HubAddress, pull, push
from core.model.bundle.hub_card import card_of
from core.model.bundle.manifest import read_manifest
from core.settings import Settings
from core.suggest.correction.bundled import PART as DECISIONS

DESCRIPTION = """\
Send a model bundle to a folder or a model hub, bring one from there, or show its card. Every file is
compared with its checksum. Nothing leaves or enters this machine but for an address with hf://."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.description = DESCRIPTION
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    sent = actions.add_parser("push", help="send a bundle to a folder or a hub")
    sent.add_argument("bundle", type=Path, metavar="BUNDLE", help="folder of the bundle")
    sent.add_argument("target", metavar="TARGET", help="a folder, or hf://OWNER/NAME")
    sent.add_argument(
        "--public", action="store_true", help="let everybody see a repository that is made"
    )
    brought = actions.add_parser("pull", help="bring a bundle, to be served here")
    brought.add_argument("source", metavar="SOURCE", help="a folder, or hf://OWNER/NAME[@REVISION]")
    brought.add_argument(
        "--out", type=Path, help="folder of the bundle (default: its name in models of STRATA_HOME)"
    )
    brought.add_argument("--sha256", default="", help="what has to identify it, or the start of it")
    card = actions.add_parser("card", help="print the card of a bundle, as a hub reads it")
    card.add_argument("bundle", type=Path, metavar="BUNDLE", help="folder of the bundle")


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked.

    Raises:
        BundleError: the bundle is damaged, or a folder or the hub cannot be used.
    """
    if arguments.action == "card":
        sys.stdout.write(card_of(arguments.bundle))
    elif arguments.action == "push":
        sha256 = push(arguments.bundle, arguments.target, private=not arguments.public)
        if DECISIONS in read_manifest(arguments.bundle)["suggesters"]:
            print(
                "It holds decisions of a project: concepts and hashed words, no texts and no ids."
            )
        print(f"pushed {sha256[:16]} to {arguments.target}")
    else:
        _pull(arguments)
    return 0


def _pull(arguments: argparse.Namespace) -> None:
    own = Settings.from_env().own_models
    target = (arguments.out or own / _name(arguments.source)).resolve()
    sha256 = pull(arguments.source, target, sha256=arguments.sha256)
    print(f"pulled {sha256[:16]} to {target}")
    if target.parent == own:
        print("The Models page of this installation has it now.")
    print(f"python -m core suggest --bundle {target} --input FILE --output -")


def _name(source: str) -> str:
    """Return the name of the folder that a bundle gets."""
    if source.startswith(SCHEME):
        return HubAddress.parse(source).repository.partition("/")[2]
    name = Path(source).resolve().name
    if not name or name.startswith("."):
        raise BundleError(f"{source} gives the bundle no name: name its folder with --out.")
    return name
