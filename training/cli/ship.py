"""Commands that make what is served of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.errors import ConfigError
from training.cli.options import add_data, data_options, origin_of, say


def add_fuse(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `fuse`."""
    parser.add_argument("first", type=Path, metavar="RUN")
    parser.add_argument("second", type=Path, metavar="RUN")
    add_data(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder of the fused scores")
    parser.set_defaults(command=_fuse)


def _fuse(options: argparse.Namespace) -> None:
    from training.judging.folders import RunFolder, load_data, over
    from training.shipping.fuse import fuse_runs

    first, second = RunFolder.finished(options.first), RunFolder.finished(options.second)
    data = load_data(over(first.data(), data_options(options)))
    weights = fuse_runs(first, second, data, options.out)
    for name, weight in weights.items():
        print(f"{name}: {weight:.2f} · {first.path.name} + {1 - weight:.2f} · {second.path.name}")
    print(options.out)


def add_bundle(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `bundle`."""
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, required=True, help="folder of the bundle")
    parser.add_argument("--linear", type=Path, help="folder of a linear suggester, to be fused")
    parser.add_argument("--name", default="", help="of the bundle (that of its vocabulary)")
    parser.add_argument(
        "--shared",
        type=Path,
        metavar="FOLDER",
        help="keep tokenizer and word embeddings there, beside the bundles that share them",
    )
    parser.add_argument(
        "--twin",
        type=Path,
        metavar="BUNDLE",
        help="of the same recipe, from which calibration, fusion and ranker are taken: for a run "
        "that has learned from dev, too (data.fold=everything)",
    )
    parser.set_defaults(command=_bundle)


def _bundle(options: argparse.Namespace) -> None:
    from training.shipping.package_linear import is_linear_run, package_linear

    if is_linear_run(options.run):
        if options.linear:
            raise ConfigError(
                f"{options.run} is a linear suggester itself; --linear sets one beside an encoder."
            )
        print(package_linear(options.run, options.out, name=options.name))
        return
    from training.shipping.package import package_bundle

    bundle = package_bundle(
        options.run,
        options.out,
        linear_folder=options.linear,
        name=options.name,
        shared=options.shared,
        twin=options.twin,
    )
    print(bundle)


def add_rank(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rank`."""
    parser.add_argument("bundle", type=Path, metavar="BUNDLE")
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="DATE=BUNDLE",
        help="a bundle of the same recipe that has learned from the documents before the date: "
        "the later ones of train are fitted on beside dev; repeatable",
    )
    add_data(parser)
    parser.set_defaults(command=_rank)


def _rank(options: argparse.Namespace) -> None:

    from training.ranking.fit_ranker import add_ranker

    origins = dict(origin_of(origin) for origin in options.origin)
    add_ranker(options.bundle, origins, data_options(options), say=say)
    print(options.bundle)


def add_cold_start(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `cold-start`."""
    add_data(parser)
    parser.add_argument("--out", type=Path, help="folder (assets/cold_start)")
    parser.set_defaults(command=_cold_start)


def _cold_start(options: argparse.Namespace) -> None:
    from core.suggest.cold_start.suggester import WEIGHTS
    from training.ranking.cold_start import write_cold_start

    folder = options.out or WEIGHTS
    write_cold_start(folder, data_options(options), say=say)
    print(folder)


def add_corrector(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `corrector`."""
    parser.add_argument(
        "--origin",
        required=True,
        metavar="DATE=BUNDLE",
        help="a bundle that has learned from the documents of train before this date",
    )
    add_data(parser)
    parser.add_argument("--out", type=Path, help="folder (assets/correction)")
    parser.set_defaults(command=_corrector)


def _corrector(options: argparse.Namespace) -> None:
    from core.suggest.correction.suggester import WEIGHTS
    from training.ranking.corrector import write_corrector

    date, bundle = origin_of(options.origin)
    folder = options.out or WEIGHTS
    write_corrector(folder, bundle, date, data_options(options), say=say)
    print(folder)


def add_share(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `share`."""
    parser.add_argument("bundles", type=Path, nargs="+", metavar="BUNDLE")
    parser.add_argument(
        "--shared", type=Path, metavar="FOLDER", help="of the parts (shared, beside each bundle)"
    )
    parser.set_defaults(command=_share)


def _share(options: argparse.Namespace) -> None:
    from core.model.bundle.bundle import share_tokenizer
    from core.model.bundle.shared_parts import FOLDER

    for bundle in options.bundles:
        print(bundle, share_tokenizer(bundle, options.shared or bundle.parent / FOLDER)[:16])


def add_card(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `card`."""
    parser.add_argument("bundle", type=Path, metavar="BUNDLE")
    parser.add_argument("--results", type=Path, help="folder of a study's figures.json")
    parser.add_argument(
        "--arm",
        action="append",
        default=[],
        help="of the study, that is the bundle; several go in as kinds of their own; repeatable",
    )
    parser.add_argument(
        "--of", default="", help="which documents and protocol, such as “CMC 2007, five folds”"
    )
    parser.add_argument("--note", default="", help="what a reader has to know beside that")
    parser.add_argument(
        "--trained-by", default="", metavar="COMMAND", help="in place of the command that it names"
    )
    parser.set_defaults(command=_card)


def _card(options: argparse.Namespace) -> None:
    from core.model.bundle.manifest import MANIFEST, record_about
    from training.judging.measured import record_figures

    if not (options.results or options.trained_by):
        raise ConfigError("Name what the card should hold: --results, or --trained-by.")
    if options.results:
        record_figures(
            options.bundle, options.results, options.arm, of=options.of, note=options.note
        )
    if options.trained_by:
        record_about(options.bundle, {"command": options.trained_by})
    print(options.bundle / MANIFEST)


def add_submit(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `submit`."""
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="CSV file of all probabilities, or TSV of the one label of each (GLUE)",
    )
    parser.set_defaults(command=_submit)


def _submit(options: argparse.Namespace) -> None:
    from training.judging.folders import RunFolder
    from training.shipping.submission import write_submission

    run = RunFolder.finished(options.run)
    print(f"{options.out}: {write_submission(run.path, options.out):,} documents")
