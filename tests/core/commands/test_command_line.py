"""The command line: what its help lists, what it refuses, and that the pages name it as it is."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib import import_module

import pytest
import typer
from typer.core import TyperGroup

from core.__main__ import COMMANDS, main
from core.paths import PROJECT_ROOT

PAGES = [PROJECT_ROOT / "README.md", *sorted((PROJECT_ROOT / "docs").glob("*.md"))]
QUOTED = re.compile(r"^(?:STRATA\S+ )*(?:\S*/)?python -m core ([a-z][^\n]*)", re.MULTILINE)


def quoted_commands() -> list[str]:
    texts = (page.read_text("utf-8").replace("\\\n", " ") for page in PAGES)
    return [line for text in texts for line in QUOTED.findall("\n".join(text.split("```")[1::2]))]


def test_help_lists_every_command_and_each_has_help_of_its_own(capsys) -> None:
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    for name, does in COMMANDS.items():
        assert re.search(rf"^  {name} +{does}$", listed, re.MULTILINE)
        assert main([name, "--help"]) == 0
        said = capsys.readouterr().out
        assert said.startswith(f"Usage: python -m core {name} ")


@pytest.mark.parametrize("line", quoted_commands())
def test_the_commands_of_the_pages_are_understood(line: str) -> None:
    name, *words = shlex.split(re.sub(r"\$\(.*?\)| <.*", "", line), comments=True)
    command = typer.main.get_command(import_module(f"core.commands.{name}").app)
    context = command.make_context(name, list(words))
    if isinstance(command, TyperGroup):
        action, found, rest = command.resolve_command(context, words)
        assert found is not None
        context = found.make_context(action, rest, parent=context)
    assert context.params


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Missing command. See `python -m core --help`."),
        (["serch"], "No such command 'serch'. Did you mean 'search'? See `python -m core --help`."),
        (
            ["suggest", "--input", "in.jsonl"],
            "Missing option '--output'. See `python -m core suggest --help`.",
        ),
        (
            ["suggest", "--input", "in.jsonl", "--output", "-", "--engine", "dask"],
            "Invalid value for '--engine': 'dask' is not one of 'single', 'ray'. "
            "See `python -m core suggest --help`.",
        ),
        (
            ["bundle", "pull", "x", "--ouut", "y"],
            "No such option: --ouut (Possible options: --out). "
            "See `python -m core bundle pull --help`.",
        ),
        (
            ["search", "spade", "--vocabulary", "a", "--bundle", "b"],
            "Invalid value for --vocabulary and --bundle: name one of them alone. "
            "See `python -m core search --help`.",
        ),
    ],
)
def test_what_is_not_understood_is_a_sentence(words: list[str], said: str, capsys) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.err == f"{said}\n"
    assert printed.out == ""


def test_the_version_is_named_without_loading_what_reads_options() -> None:
    code = (
        "import sys; from core.__main__ import main; main(['--version']); "
        "sys.exit(bool({'pydantic', 'rich', 'sqlalchemy', 'numpy'} & sys.modules.keys()))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=PROJECT_ROOT, capture_output=True, check=True)
