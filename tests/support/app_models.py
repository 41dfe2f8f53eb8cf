"""The page of models, without a browser."""

from __future__ import annotations

import shutil
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from core.serving.retraining import (
    OFFERED,
    GroupComparison,
    ModelComparison,
    Retraining,
    folder_of,
    write_state,
)
from core.serving.session import Session
from tests.support.app_pages import fresh_page, turn_to

COMPARED = ModelComparison(120, 40, 0.7, 0.6, 0.05, 0.15, 3.25, 2.5)


def models_page() -> AppTest:
    return turn_to(fresh_page(), "models")


def offer(session: Session, **changed: float) -> None:
    """Have a candidate offered in the open project: a copy of the model that serves."""
    folder = folder_of(session.settings, session.project_id())
    folder.mkdir(parents=True)
    made = folder / "offered" / "retrained"
    shutil.copytree(session.settings.bundle_dir, made)
    rows = (GroupComparison("a|b *c*", 9, 7, 3),)
    compared = replace(COMPARED, by_frequency=rows, **changed)  # type: ignore[arg-type]
    served = session.project.card
    serving = served.bundle_hash if served else ""
    write_state(folder, Retraining(OFFERED, bundle=str(made), serving=serving, comparison=compared))
