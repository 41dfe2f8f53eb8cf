"""The command that judges names of codes in texts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from training.cli.options import RESULTS, say

if TYPE_CHECKING:
    from core.suggest.names.matcher import LexicalMatcher
    from training.corpora.corpus import LabelledDocument
    from training.judging.measured import Measured

MEGABYTE = 1e6


def add_lexical(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `lexical`."""
    parser.add_argument("cases", type=Path, metavar="CODIESP", help="folder of CodiEsp's cases")
    parser.add_argument(
        "--bundle", type=Path, help="also what names add to this bundle of codes, on dev"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=RESULTS / "lexical",
        help="folder for the page (docs/results/lexical)",
    )
    parser.set_defaults(command=_lexical)


def _lexical(options: argparse.Namespace) -> None:
    import os
    import tempfile
    import time

    from core.suggest.names.matcher import LexicalMatcher
    from core.vocabulary.codes.icd10cm import icd10cm
    from training.corpora.readers.clinical.codiesp import read_codiesp
    from training.judging.measured import save_figures
    from training.judging.recorded import shown_place
    from training.results.lexical_table import beside_table, lexical_page
    from training.studies.lexical_study import judge, right_by_assertion, right_by_kind

    places = [shown_place(options.cases)]
    places += ["--bundle", shown_place(options.bundle)] if options.bundle else []
    corpus = read_codiesp(options.cases)
    say("ICD-10-CM is read …")
    hierarchy = icd10cm()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "names.npz"
        seconds = []
        for _ in ("build", "open"):
            started = time.process_time()
            matcher = LexicalMatcher.open(hierarchy, path)
            seconds.append(f"{time.process_time() - started:.1f}")
        megabytes = f"{path.stat().st_size / MEGABYTE:.1f}"
    say("Names are looked for …")
    about = {
        "vocabulary": f"ICD-10-CM of {hierarchy.version} ({len(hierarchy):,} concepts)",
        "wordings": f"{len(matcher):,}",
        "command": " ".join(["python -m training lexical", *places]),
        "machine": f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "build": seconds[0],
        "open": seconds[1],
        "megabytes": megabytes,
    }
    text = lexical_page(
        right_by_kind(corpus.train, matcher),
        right_by_assertion(corpus.train, matcher),
        judge(corpus.dev, matcher),
        about,
    )
    if options.bundle:
        beside = _beside(options.bundle, matcher, corpus.dev)
        text += beside_table(options.bundle.name, beside)
        save_figures(options.out, beside, command=about["command"])
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "README.md").write_text(text, "utf-8")
    print(text)


def _beside(
    bundle: Path, matcher: LexicalMatcher, cases: Sequence[LabelledDocument]
) -> dict[str, Measured]:
    """The bundle alone, and with names as the app serves it."""
    from core.suggest.names.suggester import NamedSuggester
    from core.suggest.predictor import Predictor
    from training.studies.lexical_study import measured, ranked_by

    model = Predictor.load(bundle)
    served = NamedSuggester(model, matcher)
    return {
        "as_served": measured(ranked_by(served, cases)),
        "model_alone": measured(ranked_by(model, cases)),
    }
