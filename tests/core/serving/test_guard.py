"""Learning is switched off where it makes suggestions worse, and nothing is lost."""

from __future__ import annotations

import pytest

from core.review.reports.finished import count_finished
from core.review.reports.learning import FEWEST
from core.review.store.projects import learning_of
from core.serving.learning import CHECKED_EVERY, DecisionTeacher
from core.serving.session import Session
from core.suggest.cold_start.suggester import ColdStartSuggester
from tests.support.learned_runs import RIGHT, WRONG, finish

pytestmark = pytest.mark.usefixtures("single_thread")

N_FINISHED = FEWEST + CHECKED_EVERY


def teach(project: Session, learner: ColdStartSuggester) -> DecisionTeacher:
    teacher = DecisionTeacher(project.server.store)
    while teacher.teach(learner, project.project_id()):
        pass
    return teacher


def test_decisions_that_make_it_worse_switch_it_off(
    allotment: Session, learner: ColdStartSuggester
) -> None:
    store, project_id = allotment.server.store(), allotment.project_id()
    for number in range(N_FINISHED):
        finish(store, project_id, number, learned=WRONG, alone=RIGHT)
    teacher = teach(allotment, learner)
    learning = learning_of(store, project_id)
    assert not learning.is_on
    assert f"In the last {N_FINISHED} documents, 0.0 of the first five" in learning.reason
    assert "3.0 would have been without" in learning.reason
    assert learner.learned() == {}
    assert count_finished(store, project_id) == N_FINISHED

    teacher.switch(learner, project_id, is_on=True)
    while teacher.teach(learner, project_id):
        pass
    assert learning_of(store, project_id).is_on, "what was read before is not held against it"
    assert len(learner.learned()) == N_FINISHED


def test_decisions_at_random_switch_it_off(allotment: Session, learner: ColdStartSuggester) -> None:
    store, project_id = allotment.server.store(), allotment.project_id()
    for number in range(N_FINISHED):
        finish(store, project_id, number, learned=WRONG, alone=RIGHT, assigned=("q",))
    teach(allotment, learner)
    learning = learning_of(store, project_id)
    assert not learning.is_on
    assert "0.0 of the model's first five suggestions were right, where 2.1" in learning.reason


@pytest.mark.parametrize("learned", [RIGHT, (*WRONG[:1], *RIGHT)])
def test_decisions_that_help_or_hardly_matter_go_on(
    allotment: Session, learner: ColdStartSuggester, learned: tuple[str, ...]
) -> None:
    for number in range(N_FINISHED):
        alone = RIGHT if number % 2 else (*WRONG[:2], *RIGHT)
        finish(
            allotment.server.store(), allotment.project_id(), number, learned=learned, alone=alone
        )
    teach(allotment, learner)
    assert learning_of(allotment.server.store(), allotment.project_id()).is_on
    assert len(learner.learned()) == N_FINISHED


def test_a_person_may_switch_it_off_and_on(allotment: Session) -> None:
    finish(allotment.server.store(), allotment.project_id(), 1, learned=RIGHT, alone=RIGHT)
    allotment.project.switch_learning(is_on=False)
    learning = learning_of(allotment.server.store(), allotment.project_id())
    assert (learning.is_on, learning.reason) == (False, "")
    assert learning.since
    allotment.project.switch_learning(is_on=True)
    assert learning_of(allotment.server.store(), allotment.project_id()).is_on
