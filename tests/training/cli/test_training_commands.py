"""The command line's help lists every command, and its examples can be given as they stand."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest

from core.settings import PROJECT_ROOT
from training.__main__ import main
from training.cli.commands import COMMAND_GROUPS, PROGRAM, parser

COMMANDS = [command for group in COMMAND_GROUPS for command in group.commands]


def test_help_has_every_command_in_order_with_its_example(capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    places = [said.index(f"\n  {command.name}  ") for command in COMMANDS]
    assert places == sorted(places)
    assert all(f"$ {PROGRAM} {command.example}" in said for command in COMMANDS)
    assert "goes on where it was" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 100


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_example_of_a_command_is_understood(command, capsys) -> None:
    words = shlex.split(command.example)
    assert words[0] == command.name
    assert callable(parser().parse_args(words).command)
    for word in words:
        if word.startswith(("training/", "assets/models/eurovoc")):
            assert (PROJECT_ROOT / word).exists()
    with pytest.raises(SystemExit):
        main([command.name, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert " ".join(command.example.split()) in said
    assert " ".join(command.does.split()) in said


def test_memory_that_does_not_suffice_is_a_sentence(monkeypatch, capsys) -> None:
    def greedy(_: argparse.Namespace) -> None:
        raise MemoryError

    monkeypatch.setattr("training.cli.prepare._stack", greedy)
    assert main(["stack", "anything", "--out", "anywhere"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("There is not enough memory")
    assert said.count("\n") == 1


@pytest.mark.parametrize("page", ["README.md", "docs/laboratory.md", "docs/results.md"])
def test_the_commands_of_the_pages_are_understood(page) -> None:
    text = (PROJECT_ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    fences = "\n".join(text.split("```")[1::2])
    found = re.findall(r"^.*-m training ([a-z][^\n]*)", fences, flags=re.MULTILINE)
    assert found
    for line in found:
        words = shlex.split(line.partition("    #")[0])
        assert callable(parser().parse_args(words).command), line
