"""Commands that train a run, and go on with one."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.cli.options import RUNS, configured, say
from training.config import RunConfig, load_config
from training.judging.recorded import note_command, shown_place


def add_train(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `train`."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    parser.add_argument("--encoder", help="hub id or folder, instead of the configured one")
    parser.add_argument("--out", type=Path, help="folder of the run (runs/NAME)")
    parser.add_argument("--fresh", action="store_true", help="do not resume what was begun there")
    parser.set_defaults(command=_train)


def _train(options: argparse.Namespace) -> None:
    config = configured(options)
    out = options.out or RUNS / config.name
    _trained(config, out, fresh=options.fresh, command=_command(options))


def _command(options: argparse.Namespace) -> str:
    """What to type again; a folder on this machine stands for the encoder that is configured."""
    words = f"python -m training train {shown_place(options.config)}"
    named = options.encoder and not Path(options.encoder).exists()
    return f"{words} --encoder {options.encoder}" if named else words


def add_resume(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `resume`."""
    parser.add_argument("run", type=Path, metavar="RUN", help="folder that train or adapt began")
    parser.set_defaults(command=_resume)


def _resume(options: argparse.Namespace) -> None:
    from training.fitting.encoders.adapt import adapt
    from training.fitting.resume import command_of

    command = command_of(options.run)
    config = load_config(options.run / "config.toml")
    if command == "adapt":
        print(adapt(config, options.run, say=say))
    else:
        _trained(config, options.run)


def _trained(config: RunConfig, out: Path, *, fresh: bool = False, command: str = "") -> None:
    from training.fitting.devices import is_main_process
    from training.fitting.train import train
    from training.judging.folders import RunFolder, load_data
    from training.judging.judge import judge_run, write_metrics

    run = RunFolder(train(config, out, fresh=fresh, say=say))
    if is_main_process():
        note_command(run.path, command)
        write_metrics(run, judge_run(run, load_data(config.data), config.model.depth, {}))
        print(run.path)
