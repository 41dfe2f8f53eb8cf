"""What has one definition: metrics stand in core/metrics, SQL in core/review, rows beside the store."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import metrics
from core.review.store.store import Store

PROJECT_ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("core", "pages", "training")
# By their names; a function that only prepares what a metric reads is called something else.
METRIC = re.compile(
    r"(?:(?:micro|macro|mean|by|hierarchical|example)_)*"
    r"(?:f1|f_?score|precision|recall|accuracy|r_precision|average_precision|mrr|n?dcg|(?:roc_)?auc"
    r"|matthews|kappa|brier|ece|expected_calibration_error|reliability_bins)(?:_score|_at_k)?"
    r"|\w*bootstrap\w*|f1s_of"
)
# Words of `core.metrics` that mean something else elsewhere, such as to augment a vocabulary's labels.
ORDINARY = frozenset({"augment", "confusion", "correct", "predicted"})


def defined(path: Path) -> Iterator[str]:
    """Names of the functions and methods of a file, without leading underscores."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name.lstrip("_")


def is_metric(name: str) -> bool:
    functions = {name for name, value in vars(metrics).items() if callable(value)}
    known = {name for name in functions if name.islower()} - ORDINARY
    return name in known or METRIC.fullmatch(name) is not None


def files(*, outside: str) -> list[Path]:
    forbidden = PROJECT_ROOT / outside
    found = (path for place in SOURCES for path in (PROJECT_ROOT / place).rglob("*.py"))
    return sorted(path for path in found if not path.is_relative_to(forbidden))


def test_metrics_are_defined_in_core_metrics_alone() -> None:
    copies = [
        f"{path.relative_to(PROJECT_ROOT)}: {name}"
        for path in files(outside="core/metrics")
        for name in defined(path)
        if is_metric(name)
    ]
    assert not copies


@pytest.mark.parametrize(
    "name", ["micro_f1", "f1", "ndcg_at_k", "average_precision", "paired_bootstrap", "bootstrap_of"]
)
def test_the_names_of_metrics_are_known(name: str) -> None:
    assert is_metric(name)


@pytest.mark.parametrize(
    "name", ["choose_precision", "precisions", "confusions", "fit_calibration"]
)
def test_what_prepares_or_reads_a_metric_may_be_anywhere(name: str) -> None:
    assert not is_metric(name)


def test_sql_stands_in_core_review_alone() -> None:
    outside = [
        str(path.relative_to(PROJECT_ROOT))
        for path in files(outside="core/review")
        if re.search(r"^\s*(?:from|import) (?:sqlalchemy|alembic)", path.read_text(), re.MULTILINE)
    ]
    assert not outside


def test_the_store_is_opened_read_written_and_closed_and_knows_no_rows() -> None:
    public = {name for name in vars(Store) if not name.startswith("_")}
    assert public == {"open", "read", "for_reading", "write", "acting", "actor", "close"}
