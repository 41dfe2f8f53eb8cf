"""The command line's help lists every command, and its examples can be given as they stand."""

from __future__ import annotations

import re
import shlex

import pytest

from core.paths import PROJECT_ROOT
from tests.support.typed_commands import options_of
from training.__main__ import GROUPS, main
from training.cli.options import COMMANDS, FAMILIES


def test_help_is_a_page_with_every_command_and_family(capsys) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert {command.group for command in COMMANDS} == set(GROUPS)
    names = {command.family or command.name for command in COMMANDS}
    assert len(names) <= 19 and names >= set(FAMILIES)
    assert all(f"\n  {name} " in said for name in names)
    assert "goes on where it was" in " ".join(said.split())
    # Without graphics cards, accelerate's own launcher starts one process.
    assert "`torchrun --nproc-per-node 2 -m training train CONFIG.toml`" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 100
    assert len(said.splitlines()) <= 66


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: f"{command.family} {command.name}"
)
def test_the_example_of_a_command_is_understood(command, capsys) -> None:
    words = shlex.split(command.example)
    typed = [command.family, command.name] if command.family else [command.name]
    assert words[: len(typed)] == typed
    assert options_of(words)
    for word in words:
        if word.startswith(("training/", "assets/models/eurovoc")):
            assert (PROJECT_ROOT / word).exists()
    assert main([*typed, "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert " ".join(command.example.split()) in said
    assert " ".join(command.does.split()) in said


def test_memory_that_does_not_suffice_is_a_sentence(monkeypatch, capsys) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("training.fitting.encoders.word_vectors.write_small_vectors", greedy)
    assert (
        main(["encoder", "vectors", "training/configs/adapt.toml", "--encoder", "x", "--out", "x"])
        == 1
    )
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
        assert options_of(words), line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["trian"], "No such command 'trian'. Did you mean 'train', "),
        (["train"], "Missing argument 'CONFIG.toml'. See `python -m training train --help`."),
        (["results", "--chek"], "No such option: --chek"),
        (["evaluate", "run", "--split", "all"], "'all' is not one of 'dev', 'test'"),
    ],
)
def test_a_command_line_that_is_not_understood_is_a_sentence(words, message, capsys) -> None:
    assert main(words) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)
