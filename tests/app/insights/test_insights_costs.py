"""What a smaller model costs, as Streamlit runs it: folders, axes, marks, commands, bad files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.insights.result_rows import ROWS
from core.insights.timings import LATENCY, add_timings
from core.serving.session import Session
from pages.figures import costs as insights_costs
from tests.support.app_insights import insights_page, said
from tests.support.app_pages import errors, run
from tests.support.files.costs_files import row, timing, write_costs

PART = "Smaller models"


def figure(page: AppTest) -> dict[str, Any]:
    (chart,) = page.get("plotly_chart")
    found: dict[str, Any] = json.loads(chart.proto.spec)
    return found


def test_without_times_the_commands_are_told(shared: Session, results: Path) -> None:
    page = insights_page(PART)
    assert not errors(page)
    assert page.get("plotly_chart") == []
    assert "python -m training latency RUN_OR_BUNDLE" in page.code[0].value


def test_models_stand_in_one_plot_with_their_frontier(shared: Session, results: Path) -> None:
    write_costs(results / "table2")
    page = insights_page(PART)
    assert not errors(page)
    line, best, others = figure(page)["data"]
    assert best["text"] == ["lr", "lstm_reg", "docbert"]
    assert line["x"] == best["x"] == pytest.approx([1.0, 10.0, 300.0])  # ms a document
    assert best["y"] == pytest.approx([74.8, 87.0, 89.0])
    assert others["text"] == ["han"]  # slower and worse than lstm_reg
    assert others["marker"]["symbol"] == ["circle-open"]  # and had not converged
    assert figure(page)["layout"]["xaxis"]["type"] == "log"
    assert "python -m training train lstm_reg.toml" in best["customdata"][1]
    assert "from **lr** to **docbert** quality rises by 14.2 points" in said(page)
    assert "time 300-fold" in said(page)
    commands = [one.value for one in page.code]
    assert commands == [
        f"python -m training train {arm}.toml" for arm in ("lr", "lstm_reg", "han", "docbert")
    ]


def test_measure_time_and_documents_can_be_chosen(shared: Session, results: Path) -> None:
    write_costs(results / "table2")
    row("docbert", 9, 0.5).save(results / "table2" / ROWS / "docbert-s9-dev")
    page = insights_page(PART)
    page.session_state["costs_time"] = "One by one"
    page.session_state["costs_split"] = "dev"
    page.selectbox(key="costs_measure").select("macro_f1@0.5")
    page = run(page)
    assert not errors(page)
    line, *_ = figure(page)["data"]
    assert line["x"] == [0.4, 20.0]  # of one document; docbert is worse on dev now
    assert "macro-F1 at 0.5, %" in json.dumps(figure(page)["layout"]["yaxis"])
    assert "while somebody waits" in said(page)


def test_a_folder_elsewhere_and_a_second_session_can_be_chosen(
    shared: Session,
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_costs(results / "table2")
    own = tmp_path / "own"
    write_costs(own)
    add_timings([timing("lr", session="2026-11-21"), timing("knn", session="2026-11-21")], own)
    monkeypatch.setenv(insights_costs.OWN_PLACE, str(own))
    page = insights_page(PART)
    page.selectbox(key="costs_folder").select_index(1)
    page = run(page)
    assert not errors(page)
    page.selectbox(key="costs_session").select_index(1)
    page = run(page)
    assert not errors(page)
    assert figure(page)["data"][1]["text"] == ["lr"]
    assert "Not judged here: knn." in said(page)
    assert "Without a time:" in said(page)


def test_a_damaged_file_is_a_sentence(shared: Session, results: Path) -> None:
    (results / LATENCY).write_text("{\n")
    page = insights_page(PART)
    (error,) = page.error
    assert "holds no times, or is damaged" in error.value


def test_models_without_the_measure_are_named(shared: Session, results: Path) -> None:
    write_costs(results / "table2")
    path = results / "table2" / ROWS / "lr-test"
    lr = row("lr", None, 0.7)
    fewer = {name: value for name, value in lr.means["all"].items() if name != "micro_f1@0.5"}
    replace(lr, means={"all": fewer}).save(path)
    page = insights_page(PART)
    assert not errors(page)
    assert "Without micro-F1 at 0.5: lr." in said(page)


def test_without_a_known_measure_it_is_said(shared: Session, results: Path) -> None:
    folder = results / "[x](e.org)"
    replace(row("lr", None, 0.7), means={"all": {"own": 0.5}}).save(folder / ROWS / "lr-test")
    add_timings([timing("lr")], folder)
    page = insights_page(PART)
    assert not errors(page)
    (info,) = page.info
    assert "nothing was judged by a measure" in info.value
    assert "[x](" not in info.value


def test_a_home_that_there_is_not_is_a_sentence(
    shared: Session,
    results: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(insights_costs.OWN_PLACE, "~nobody-of-this-name/x")
    (error,) = insights_page(PART).error
    assert "STRATA_RESULTS names" in error.value  # what follows is escaped


def test_a_factor_is_said_with_the_digits_that_count() -> None:
    assert [insights_costs._fold(ratio) for ratio in (1.3, 2.0, 9.96, 1234.5)] == [
        *("1.3", "2", "10", "1,234"),
    ]


def test_a_name_is_text_in_the_plot(shared: Session, results: Path) -> None:
    write_costs(results)
    arm = "<a href='javascript:1'>$x$</a>"
    hostile = row(arm, None, 0.9, command="<b>rm</b> `x` $y$")
    hostile.save(results / ROWS / "hostile-test")
    add_timings([timing(arm)], results)
    page = insights_page(PART)
    assert not errors(page)
    (chart,) = page.get("plotly_chart")
    assert "<a" not in chart.proto.spec
    assert "<b>rm" not in chart.proto.spec
    assert "<a href" not in said(page).replace("\\<", "")
