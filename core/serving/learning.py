"""Teaches what suggests in a project what people have decided since.

Nothing is taught when a document is finished: before each reading it is looked up which documents
are finished now, so that an undo, a reopening, a removal and a restore teach as well.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from core.errors import StoreError
from core.review.reports.finished import finished_documents, finished_versions, state_of
from core.review.store.predictions import latest_settings
from core.review.store.store import Store
from core.serving.workers import give_way
from core.suggest.protocol import Learner, find_part

_LOG = logging.getLogger(__name__)

AT_A_TURN = 20  # documents, each of which takes some hundredths of a second


class DecisionTeacher:
    """Teaches suggesters what is decided in their projects.

    Args:
        store: the open store, asked for each time.
    """

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def teach_all(self, suggester: object, project_id: int) -> None:
        """Begin to teach a suggester all that was decided, in a thread that gives way to others.

        Suggestions are made meanwhile, with what it knows by then.
        """

        def teach() -> None:
            give_way()
            while self.teach(suggester, project_id):
                pass

        if find_part(suggester, Learner) is not None:  # type: ignore[type-abstract]  # mypy#4717
            threading.Thread(target=teach, name="learn", daemon=True).start()

    def teach(self, suggester: object, project_id: int, *, at_most: int = AT_A_TURN) -> int:
        """Teach a suggester what it does not know of finished documents, if it learns at all.

        A store that cannot be read teaches nothing; suggestions are made all the same.

        Args:
            at_most: so many documents; they are read in the order of their ids.
        Returns:
            How many documents are still to be learned.
        """
        learner = find_part(suggester, Learner)  # type: ignore[type-abstract]  # mypy#4717
        if learner is None:
            return 0
        try:
            versions = finished_versions(self._store(), project_id)
            known = learner.learned()
            if gone := known.keys() - versions.keys():
                learner.forget(gone)
            new = sorted(i for i, version in versions.items() if known.get(i) != version)
            if new:
                learner.learn(finished_documents(self._store(), versions, new[:at_most]))
            return max(len(new) - at_most, 0)
        except StoreError:
            _LOG.exception("what was decided could not be learned")
            return 0


def knows_better(suggester: object, store: Store, project_id: int, document_id: str) -> bool:
    """Return whether more can be learned from finished documents than a prediction knew.

    Raises:
        StoreError: the store cannot be read.
    """
    if find_part(suggester, Learner) is None:  # type: ignore[type-abstract]  # mypy#4717
        return False
    known = latest_settings(store, document_id).get("learned")
    return known != state_of(finished_versions(store, project_id))
