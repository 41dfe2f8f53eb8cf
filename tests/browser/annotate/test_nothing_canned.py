"""What the page shows is what the model says, of a text that nobody has seen before."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.browser.conftest import OpenPage
from tests.support.browser.server import Server
from tests.support.processes import call, forks

pytestmark = pytest.mark.browser

N_SHOWN = 25
SUBJECTS = (
    "the import of bananas", "fishing quotas for herring", "aid for sheep farmers",
    "the labelling of textiles", "noise of aircraft", "the rights of rail passengers",
    "anti-dumping duties on bicycles", "the protection of the Baltic Sea", "exhaust gases of lorries",
    "veterinary controls of live cattle", "the common market in wine", "state aid for shipyards",
)  # fmt: skip
SENTENCES = (
    "Member States shall send the Commission a report on {} before the end of each year.",
    "The rules on {} do not meet their purpose, and should be replaced.",
    "Having regard to the opinion of the management committee on {},",
    "Measures on {} shall apply from the first day of the following month.",
    "A special fund shall bear half of the cost of {}.",
)


def composed_act() -> tuple[str, str]:
    """A title and a text that have never stood together before."""
    generator = random.SystemRandom()
    subjects = generator.sample(SUBJECTS, 3)
    number = generator.randrange(1000, 9999)
    lines = [generator.choice(SENTENCES).format(generator.choice(subjects)) for _ in range(12)]
    return f"Regulation No {number} on {subjects[0]}", "\n\n".join(lines)


def told_by_the_command(bundle: Path, title: str, text: str, folder: Path) -> dict[str, float]:
    """Percentages by label that `core suggest` writes."""
    given, written = folder / "given.jsonl", folder / "written.jsonl"
    given.write_text(json.dumps({"id": "act", "title": title, "text": text}) + "\n", "utf-8")
    options = f"--bundle {bundle} --input {given} --output {written} --limit {2 * N_SHOWN}".split()
    # Else either might find bf16 faster.
    command = call(
        "tests.support.models.forked_runs:core", "suggest", *options, STRATA_PRECISION="fp32"
    )
    assert forks().run(command, seconds=600) == [0]
    answer = json.loads(written.read_text("utf-8"))
    return {one["pref_label"]: 100 * one["probability"] for one in answer["suggestions"]}


def told_by_the_page(
    bundle: Path, title: str, text: str, home: Path, open_page: OpenPage
) -> dict[str, int]:
    """Percentages by label that a person sees."""
    server = Server(home, STRATA_BUNDLE=str(bundle), STRATA_PRECISION="fp32")
    server.start(forked=True)
    try:
        tab = open_page(server)
        tab.paste(title, text)
        tab.wait_for_suggestions()
        tab.page.keyboard.press("v")  # those below five percent as well
        return {row.label: int(row.percent.replace("<1", "0").strip("%")) for row in tab.rows()}
    finally:
        server.close()


def agree(shown: dict[str, int], told: dict[str, float]) -> bool:
    """Whether both say the same, rounded to whole per cents as the page shows them.

    Args:
        told: more suggestions than `shown`, since a hair may decide which is the last.
    """
    half = 0.501
    least = min(shown.values())
    same = all(abs(told.get(label, -9) - percent) <= half for label, percent in shown.items())
    missing = [
        label for label, percent in told.items() if percent > least + half and label not in shown
    ]
    return same and not missing


def test_the_page_shows_what_the_command_writes(
    bundle: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    title, text = composed_act()
    expected = told_by_the_command(bundle, title, text, tmp_path)
    assert len(expected) == 2 * N_SHOWN
    shown = told_by_the_page(bundle, title, text, tmp_path / "home", open_page)
    assert len(shown) == N_SHOWN
    assert agree(shown, expected), f"{title}\n\n{text}\n\n{shown}\n\n{expected}"
    of_others = dict(zip(expected, reversed(expected.values()), strict=True))
    assert not agree(shown, of_others)
