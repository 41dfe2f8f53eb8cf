"""Commands that make what is served of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from core.errors import ConfigError
from training.cli.options import Origins, command, data_options, origin_of, say
from training.config import DataConfig

GROUP = "Ship"

Run = Annotated[Path, Argument(metavar="RUN")]
Bundle = Annotated[Path, Argument(metavar="BUNDLE")]


@command(GROUP, "bundle runs/mine --linear runs/linear --name mine --out assets/models/mine")
def bundle(
    run: Run,
    *,
    out: Annotated[Path, Option(help="folder of the bundle")],
    linear: Annotated[Path | None, Option(help="folder of a linear suggester, to be fused")] = None,
    name: Annotated[str, Option(help="of the bundle (that of its vocabulary)")] = "",
    shared: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            help="keep tokenizer and word embeddings there, beside the bundles that share them",
        ),
    ] = None,
    twin: Annotated[
        Path | None,
        Option(
            metavar="BUNDLE",
            help="of the same recipe, from which calibration, fusion and ranker are taken: for a "
            "run that has learned from dev, too (data.fold=everything)",
        ),
    ] = None,
    windows: Annotated[
        int,
        Option(
            min=0,
            help="of a text, from its beginning, that the encoder is given (0: all), beside --linear; "
            "a twin's are taken from it",
        ),
    ] = 0,
) -> None:
    """Package a run for serving; STRATA_BUNDLE or the page Models then choose it."""
    from training.shipping.package_linear import is_linear_run, package_linear

    if is_linear_run(run):
        if linear:
            raise ConfigError(
                f"{run} is a linear suggester itself; --linear sets one beside an encoder."
            )
        if windows:
            raise ConfigError(f"{run} is a linear suggester, without windows.")
        print(package_linear(run, out, name=name))
        return
    from training.shipping.package import package_bundle

    if twin and windows:
        raise ConfigError("--windows are those of the twin; leave one of both out.")
    made = package_bundle(
        run,
        out,
        linear_folder=linear,
        name=name,
        shared=shared,
        twin=twin,
        max_windows=windows,
    )
    print(made)


@command(GROUP, "fit ranker assets/models/mine --origin 2013=runs/bundle-2012", data=data_options)
def rank(
    bundle: Bundle,
    *,
    origin: Origins = None,
    data: DataConfig,
) -> None:
    """Fit what ranks the suggestions of a bundle, on dev and on documents that came after those that an
    earlier bundle of its recipe has learned from.
    """
    from training.ranking.fit_ranker import add_ranker

    origins = dict(origin_of(text) for text in origin or ())
    add_ranker(bundle, origins, data, say=say)
    print(bundle)


@command(GROUP, "fit cold-start", data=data_options)
def cold_start(
    *,
    data: DataConfig,
    out: Annotated[Path | None, Option(help="folder (assets/cold_start)")] = None,
) -> None:
    """Fit the weights by which labels in the text and similar documents are ranked where no model
    knows a vocabulary.
    """
    from core.suggest.cold_start.suggester import WEIGHTS
    from training.ranking.cold_start import write_cold_start

    folder = out or WEIGHTS
    write_cold_start(folder, data, say=say)
    print(folder)


@command(GROUP, "fit corrector --origin 2013=runs/bundle-2012", data=data_options)
def corrector(
    *,
    origin: Annotated[
        str,
        Option(
            metavar="DATE=BUNDLE",
            help="a bundle that has learned from the documents of train before this date",
        ),
    ],
    data: DataConfig,
    out: Annotated[Path | None, Option(help="folder (assets/correction)")] = None,
) -> None:
    """Fit the weights by which the suggestions of a model are corrected by what is decided, on
    documents that came after those that a bundle has learned from.
    """
    from core.suggest.correction.suggester import WEIGHTS
    from training.ranking.corrector import write_corrector

    date, bundle = origin_of(origin)
    folder = out or WEIGHTS
    write_corrector(folder, bundle, date, data, say=say)
    print(folder)


@command(GROUP, "share assets/models/eurovoc")
def share(
    bundles: Annotated[list[Path], Argument(metavar="BUNDLE")],
    *,
    shared: Annotated[
        Path | None, Option(metavar="FOLDER", help="of the parts (shared, beside each bundle)")
    ] = None,
) -> None:
    """Store the tokenizer of several bundles once, in a folder beside them."""
    from core.model.bundle.bundle import share_tokenizer
    from core.model.bundle.shared_parts import FOLDER

    for bundle in bundles:
        print(bundle, share_tokenizer(bundle, shared or bundle.parent / FOLDER)[:16])


@command(GROUP, 'card models/mine --results results/mine --arm guided --of "notes, dev"')
def card(
    bundle: Bundle,
    *,
    results: Annotated[Path | None, Option(help="folder of a study's figures.json")] = None,
    arm: Annotated[
        list[str] | None,
        Option(
            help="of the study, that is the bundle; several go in as kinds of their own; repeatable"
        ),
    ] = None,
    of: Annotated[
        str, Option(help="which documents and protocol, such as “CMC 2007, five folds”")
    ] = "",
    note: Annotated[str, Option(help="what a reader has to know beside that")] = "",
    trained_by: Annotated[
        str, Option(metavar="COMMAND", help="in place of the command that it names")
    ] = "",
) -> None:
    """Write into the card of a bundle what a study found and on which documents, or
    which command trained it; the model itself does not change.
    """
    from core.model.bundle.manifest import MANIFEST, record_about
    from training.judging.measured import record_figures

    if not (results or trained_by):
        raise ConfigError("Name what the card should hold: --results, or --trained-by.")
    if results:
        record_figures(bundle, results, arm or [], of=of, note=note)
    if trained_by:
        record_about(bundle, {"command": trained_by})
    print(bundle / MANIFEST)
