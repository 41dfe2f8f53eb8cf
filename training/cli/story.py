"""The command line of the laboratory: its help is the whole story, chapter by chapter."""

from __future__ import annotations

import argparse
import textwrap

from training.cli.chapters import CHAPTERS

PROGRAM = "python -m training"

BEGINNING = """\
The laboratory: from documents and a vocabulary to a model that is served, and to a table that
says how good it is.

A run is described by one file, CONFIG.toml: which data, which encoder and plan, how text is
read, how it is trained. It needs no more than what differs from its preset (`paper`, `small`
and others, see training/config/presets.py); relative paths in it start at its own folder. Those behind
the committed results are in training/configs. Whatever is stopped or killed goes on where it
was when the same command is given again, or `resume` with its folder, and gives the numbers of
an unbroken run. Several graphics cards or processes:
`accelerate launch -m training train CONFIG.toml`."""

END = """\
`python -m training COMMAND --help` lists the options of a command. docs/laboratory.md goes through
each method, docs/results.md has what came out."""


def parser() -> argparse.ArgumentParser:
    """The command line, with the story as its help."""
    whole = argparse.ArgumentParser(
        prog=PROGRAM,
        description=BEGINNING,
        epilog=f"{story()}\n\n{END}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=f"{PROGRAM} COMMAND …",
    )
    # Without help of their own they are not listed a second time, out of their order.
    commands = whole.add_subparsers(required=True, metavar="COMMAND", help="one of those below")
    for chapter in CHAPTERS:
        for command in chapter.commands:
            command.add(
                commands.add_parser(
                    command.name,
                    description=command.does,
                    epilog=f"Example: {PROGRAM} {command.example}",
                )
            )
    return whole


def story() -> str:
    """Every command with an example, in the order of the work."""
    lines = []
    for number, chapter in enumerate(CHAPTERS, start=1):
        lines.append(f"\n{number}. {chapter.title}\n")
        for command in chapter.commands:
            text = f"{command.name:<13}{command.does}"
            lines += textwrap.wrap(text, 96, initial_indent="  ", subsequent_indent=" " * 15)
            lines.append(f"    $ {PROGRAM} {command.example}")
    return "\n".join(lines).strip("\n")
