"""Teaches what suggests in a project what people have decided since, as long as that helps.

Nothing is taught when a document is finished: before each reading it is looked up which documents
are finished now, so that an undo, a reopening, a removal and a restore teach as well.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime

from core.errors import ModelStoppedError, StoreError
from core.review.reports.finished import finished_documents, state_of, taught_versions
from core.review.reports.learning import LearningEffect, learning_effect
from core.review.store.predictions import latest_settings
from core.review.store.projects import Learning, keep_learning, learning_of
from core.review.store.store import Store
from core.serving.workers import give_way
from core.suggest.protocol import Learner, find_part

_LOG = logging.getLogger(__name__)

AT_A_TURN = 20  # documents, each of which takes some hundredths of a second
IN_BACKGROUND = 5  # at a turn, since a reading waits for its end
PAUSE_SECONDS = 0.01  # between such turns, in which a reading that waits has its own
CHECKED_EVERY = 10  # finished documents, after which it is looked whether learning helps


class DecisionTeacher:
    """Teaches suggesters what is decided in their projects, in one thread at a time for each.

    Otherwise a thread could teach what it has looked up before learning was switched off, and what
    the switch has taken back would be known again.

    Args:
        store: the open store, asked for each time.
    """

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._checked: dict[int, int] = {}  # project id -> finished documents at the last check
        self._teaching: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)

    def teach_all(self, suggester: object, project_id: int) -> None:
        """Begin to teach a suggester all that was decided, in a thread that gives way to others.

        Suggestions are made meanwhile, with what it knows by then.
        """

        def teach() -> None:
            give_way()
            while self.teach(suggester, project_id, at_most=IN_BACKGROUND):
                time.sleep(PAUSE_SECONDS)

        if find_part(suggester, Learner) is not None:  # type: ignore[type-abstract]  # mypy#4717
            threading.Thread(target=teach, name="learn", daemon=True).start()

    def teach(self, suggester: object, project_id: int, *, at_most: int = AT_A_TURN) -> int:
        """Teach a learning suggester the finished documents that it has not learned.

        A store that cannot be read teaches nothing, nor does a process of models that has ended;
        suggestions are made all the same.

        Args:
            at_most: so many documents, those that were finished last: after a start thousands may
                wait for minutes, and these are most like what is read now.
        Returns:
            How many documents are still to be learned.
        """
        learner = find_part(suggester, Learner)  # type: ignore[type-abstract]  # mypy#4717
        if learner is None:
            return 0
        try:
            with self._teaching[project_id]:
                return self._teach(learner, project_id, at_most)
        except (StoreError, ModelStoppedError):
            _LOG.exception("what was decided could not be learned")
            return 0

    def _teach(self, learner: Learner, project_id: int, at_most: int) -> int:
        versions = taught_versions(self._store(), project_id)
        learned = learner.learned()
        if gone := learned.keys() - versions.keys():
            learner.forget(gone)
        new = [i for i, version in versions.items() if learned.get(i) != version]
        if new:
            learner.learn(finished_documents(self._store(), versions, new[:at_most]))
            if self._is_harmful(project_id, len(versions)):
                learner.forget(learner.learned())
                return 0
        return max(len(new) - at_most, 0)

    def switch(self, suggester: object, project_id: int, *, is_on: bool) -> None:
        """Have decisions teach in a project, or not; nothing that was decided is lost.

        Raises:
            StoreError: the store cannot be written; then nothing changes.
        """
        switch_learning(self._store(), project_id, is_on=is_on)
        self._checked.pop(project_id, None)
        if is_on:
            self.teach_all(suggester, project_id)
        else:
            self.teach(suggester, project_id)

    def _is_harmful(self, project_id: int, n_finished: int) -> bool:
        """Switch learning off where suggestions are worse with it, and return whether they are."""
        if n_finished - self._checked.get(project_id, 0) < CHECKED_EVERY:
            return False
        self._checked[project_id] = n_finished
        store = self._store()
        effect = learning_effect(store, project_id, since=learning_of(store, project_id).since)
        if effect is None or not (effect.is_worse or effect.is_contradicted):
            return False
        switch_learning(store, project_id, is_on=False, reason=sentence_of(effect))
        _LOG.warning("learning is switched off in project %d, as it makes it worse", project_id)
        return True


def switch_learning(store: Store, project_id: int, *, is_on: bool, reason: str = "") -> None:
    """Note whether decisions teach in a project, from now on.

    Args:
        reason: why the program has switched it off.
    """
    now = datetime.now(UTC).isoformat()
    keep_learning(store, project_id, Learning(is_on, now, reason))


def sentence_of(effect: LearningEffect) -> str:
    """Return why learning was switched off."""
    if not effect.is_worse:
        return (
            f"In the last {effect.n_documents} documents, {effect.right_without:.1f} of the model's "
            f"first five suggestions were right, where {effect.expected:.1f} were to be expected, "
            "and learning did not help: the decisions may not be meant as they stand."
        )
    return (
        f"In the last {effect.n_documents} documents, {effect.right:.1f} of the first five "
        f"suggestions were right with it, and {effect.right_without:.1f} would have been without."
    )


def knows_better(suggester: object, store: Store, project_id: int, document_id: str) -> bool:
    """Return whether more can be learned from finished documents than a prediction knew.

    Raises:
        StoreError: the store cannot be read.
    """
    if find_part(suggester, Learner) is None:  # type: ignore[type-abstract]  # mypy#4717
        return False
    learned = latest_settings(store, document_id).get("learned")
    return learned != state_of(taught_versions(store, project_id))
