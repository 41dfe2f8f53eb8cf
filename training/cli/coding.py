"""The command that judges models of codes as the clinical challenges do."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.judging.recorded import shown_place


def add_coded(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `coded`."""
    parser.add_argument(
        "folders", type=Path, nargs="+", metavar="RUN", help="finished runs, or folders of them"
    )
    parser.add_argument(
        "--mix",
        action="append",
        default=[],
        metavar="ARM+ARM",
        help="also the mean of two arms, its weight tuned on dev; repeatable",
    )
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="ARM",
        help="arm to compare with (the first); repeatable",
    )
    parser.add_argument("--title", default="", help="of the page (that of the first folder)")
    parser.add_argument("--results", type=Path, help="folder to write table.md and figures.json to")
    parser.set_defaults(command=_coded)


def _coded(options: argparse.Namespace) -> None:
    from training.judging.measured import save_figures
    from training.results.coded_table import measured, page
    from training.studies.coded_study import CodedStudy

    study = CodedStudy(options.folders)
    arms = [study.arm(name) for name in [*study.folds, *options.mix]]
    against = [study.arm(name).name for name in options.against or [arms[0].name]]
    text = page(
        arms,
        title=options.title or options.folders[0].name,
        against=against,
        command=_command(options),
    )
    if options.results:
        options.results.mkdir(parents=True, exist_ok=True)
        (options.results / "table.md").write_text(text, encoding="utf-8")
        save_figures(options.results, measured(arms), command=_command(options))
    print(text)


def _command(options: argparse.Namespace) -> str:
    words = ["python -m training coded", *(shown_place(folder) for folder in options.folders)]
    words += [f"--mix {name}" for name in options.mix]
    words += [f"--against {name}" for name in options.against]
    return " ".join(words)
