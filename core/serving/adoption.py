"""What homes and databases of before hold, when one project was open for all of a server."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from core.model.bundle.cards import read_card
from core.review.store.people import default_person, read_preferences, set_preference
from core.review.store.projects import Project, keep_choices, list_projects
from core.review.store.store import Store
from core.serving.caller import last_project
from core.serving.setup import WITHOUT, Setups
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey, VocabularyVersions

_LOG = logging.getLogger(__name__)

SERVED = "served_bundle"  # among the one person's preferences: the bundle that served
IN_USE = "in_use.json"  # beside the imported vocabularies: the versions taken, the last one last


def adopt(store: Store, versions: VocabularyVersions, setups: Setups) -> None:
    """Give what was in use for a whole server to the project that was open, once.

    Rows that have no history yet are of that time.

    Raises:
        StoreError: the store cannot be read or written.
    """
    rows = [row for row in list_projects(store) if row.former_choices is None]
    if not rows:
        return
    person_id = default_person(store).person_id
    taken = _taken(versions)
    served = read_preferences(store, person_id).get(SERVED)
    vocabulary_id = _vocabulary_in_use(taken, served, setups)
    own = [row for row in rows if vocabulary_id in (None, row.vocabulary_id)]
    opened = last_project(store, person_id, vocabulary_id) if own else None
    if opened is not None and opened not in own:
        opened = own[0]
    for row in rows:
        if row == opened:
            _adopt(store, row, taken, served)
        else:
            _keep(store, row, bundle=row.bundle, choice=row.vocabulary_choice)
    set_preference(store, person_id, SERVED, None)
    with suppress(OSError):
        (versions.folder / IN_USE).unlink(missing_ok=True)
    _LOG.info("what was in use is project %s's from now on", opened and opened.project_id)


def _adopt(store: Store, row: Project, taken: list[VersionKey], served: object) -> None:
    """Note what was in use as what a project is worked on with."""
    own = [key.version for key in taken if key == BUNDLED or key.vocabulary_id == row.vocabulary_id]
    in_use = own.pop() if own else row.vocabulary_choice
    _keep(store, row, bundle=_bundle_of(served, row), choice=in_use, former=own)


def _keep(
    store: Store,
    row: Project,
    *,
    bundle: str | None,
    choice: str | None,
    former: Sequence[str] = (),
) -> None:
    keep_choices(
        store,
        row.project_id,
        bundle=bundle,
        vocabulary_choice=choice,
        former_choices=former,
    )


def _bundle_of(served: object, row: Project) -> str | None:
    """The bundle that served, as a project's row names it; None for that of the settings.

    Where it is of another vocabulary, the row stays as it is.
    """
    if not isinstance(served, dict):
        return None
    if not served.get("hash"):
        return WITHOUT
    folder = Path(str(served.get("folder")))
    card = read_card(folder)
    if card.problem is None and card.vocabulary_id != row.vocabulary_id:
        return row.bundle
    return f"{folder.name[:200]}@{served['hash']}"


def _vocabulary_in_use(taken: list[VersionKey], served: object, setups: Setups) -> str | None:
    """The vocabulary that was taken last, or else that of the bundle that served."""
    if taken and taken[-1] != BUNDLED:
        return taken[-1].vocabulary_id
    if isinstance(served, dict) and served.get("hash"):
        card = read_card(Path(str(served.get("folder"))))
        if card.problem is None:
            return card.vocabulary_id
    return setups.standard_vocabulary_id


def _taken(versions: VocabularyVersions) -> list[VersionKey]:
    """The versions that were taken into use, with the bundle's own before all of them."""
    try:
        records = json.loads((versions.folder / IN_USE).read_text("utf-8"))
        taken = [
            VersionKey(str(record["vocabulary_id"]), str(record["version"])) for record in records
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    there = {entry.key for entry in versions.entries()} | {BUNDLED}
    return [BUNDLED, *(key for key in taken if key in there)] if taken else []
