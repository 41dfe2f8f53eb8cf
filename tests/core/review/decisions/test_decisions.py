from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from core.documents.document import Document
from core.review.decisions.recording import (
    NotTaken,
    Operation,
    Receipt,
    current,
    not_taken,
    version,
)
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.documents import fetch_document
from core.review.store.people import default_person
from core.review.store.predictions import save_prediction
from core.review.store.rules import (
    NEVER_ASSIGNED,
    NEVER_SUGGESTED,
    Rules,
    lift_rule,
    set_rule,
)
from core.review.store.store import Store
from core.review.store.tables import decision_event
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.stores import codes, denying, prediction, send, states

pytestmark = pytest.mark.usefixtures("on_both")


def test_accept_reject_add_and_clear(store: Store) -> None:
    receipt = send(
        store,
        Operation(1, "accept", "c1"),
        Operation(2, "reject", "c2"),
        Operation(3, "add", "c3"),
        Operation(4, "accept", "c4"),
        Operation(5, "clear", "c4"),
    )
    assert receipt == Receipt((1, 2, 3, 4, 5))
    assert states(store) == {"c1": "accepted", "c2": "rejected", "c3": "accepted"}
    assert [one.added for one in current(store, "act").values()] == [False, False, True]


def test_the_browsers_mappings_do_as_well(store: Store) -> None:
    sent = {"sequence": 1, "action": "accept", "concept_id": "c1", "group": None, "extra": 1}
    assert send(store, sent).settled == (1,)
    assert states(store) == {"c1": "accepted"}


def test_what_the_person_saw_is_kept(store: Store) -> None:
    run_id = save_prediction(store, "act", prediction(3, 0.8), settings={})
    send(store, Operation(1, "accept", "c2"), Operation(2, "add", "c9"))
    save_prediction(store, "act", prediction(3, 0.4), settings={})
    decided = current(store, "act")
    assert (decided["c2"].probability, decided["c2"].rank) == (0.4, 2)
    assert decided["c2"].source == "guided"
    assert (decided["c9"].probability, decided["c9"].rank, decided["c9"].source) == (None,) * 3
    assert decided["c2"].person == default_person(store).name
    assert abs((datetime.now(UTC) - decided["c2"].decided_at).total_seconds()) < 60
    with store.read() as connection:
        assert set(connection.scalars(select(decision_event.c.run_id))) == {run_id}


def test_decisions_of_one_document_are_not_those_of_another(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(2, "reject", "c1"), document_id="other")
    assert (states(store), states(store, "other")) == ({"c1": "accepted"}, {"c1": "rejected"})


def test_backing_off_rejects_and_excluding_rules_a_branch_out(store: Store) -> None:
    send(store, Operation(1, "back_off", "c1", "g"), Operation(2, "accept", "c2", "g"))
    send(store, Operation(3, "exclude", "c3"))
    assert states(store) == {"c1": "rejected", "c2": "accepted", "c3": "excluded"}
    assert [one.action for one in current(store, "act").values()] == [
        "back_off",
        "accept",
        "exclude",
    ]
    send(store, Operation(4, "clear", "c3"), Operation(5, "accept", "c1"))
    assert states(store) == {"c2": "accepted", "c1": "accepted"}


def mains(store: Store) -> dict[str, bool]:
    return {key: one.main for key, one in current(store, "act").items()}


def test_a_main_topic_is_one_until_it_is_unmarked(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), Operation(2, "mark", "c1"), Operation(3, "add", "c2"))
    assert mains(store) == {"c1": True, "c2": False}
    send(store, Operation(4, "accept", "c1"))
    assert mains(store)["c1"]
    send(store, Operation(5, "unmark", "c1"))
    assert mains(store) == {"c1": False, "c2": False}


@pytest.mark.parametrize("action", ["reject", "back_off", "exclude", "clear"])
def test_what_is_no_longer_accepted_is_no_main_topic_either(store: Store, action: str) -> None:
    send(store, Operation(1, "accept", "c1"), Operation(2, "mark", "c1"))
    send(store, Operation(3, action, "c1"), Operation(4, "accept", "c1"))
    assert mains(store) == {"c1": False}
    send(store, Operation(5, "undo"), Operation(6, "undo"))
    assert mains(store) == {"c1": True}


def test_only_what_is_accepted_can_be_marked(store: Store) -> None:
    receipt = send(store, Operation(1, "reject", "c1"), Operation(2, "mark", "c1"))
    assert (receipt.stored, codes(receipt)) == ((1,), ["not accepted"])
    assert codes(send(store, Operation(3, "mark", "c2"))) == ["not accepted"]
    assert send(store, Operation(4, "unmark", "c2")).stored == (4,)
    assert mains(store) == {"c1": False}


def test_an_addition_says_where_it_was_found(store: Store) -> None:
    save_prediction(store, "act", prediction(3, 0.8), settings={})
    send(store, Operation(1, "add", "c9", source="similar"), Operation(2, "add", "c2"))
    send(store, Operation(3, "add", "c3", source="search"))
    decided = current(store, "act")
    assert [one.source for one in decided.values()] == ["similar", "guided", "search"]
    assert [one.rank for one in decided.values()] == [None, 2, 3]


def test_a_given_concept_that_is_confirmed_says_so(store: Store) -> None:
    document = fetch_document(store, "act")
    add_document(store, document, project_id=1, given=["c1", "c9"])
    save_prediction(store, "act", prediction(2), settings={})
    send(store, Operation(1, "accept", "c9"), Operation(2, "accept", "c1"))
    assert [one.source for one in current(store, "act").values()] == ["given", "guided"]


def test_the_version_grows_with_every_event_that_touches_the_document(store: Store) -> None:
    assert version(store, "act") == version(store, "nowhere") == 0
    send(store, Operation(1, "accept", "c1"))
    first = version(store, "act")
    send(store, Operation(1, "accept", "c1"))
    assert version(store, "act") == first > 0
    send(store, Operation(2, "undo"), document_id="other")
    assert version(store, "act") > first
    assert version(store, "other") > 0


HIERARCHY = Hierarchy(
    [Concept("top", "u", None, {"en": "top"})]
    + [Concept(f"c{i}", "u", None, {"en": f"l{i}"}, broader=("top",)) for i in range(1, 4)]
    + [Concept("c4", "u", None, {"en": "l4"}, broader=("c1", "c2"))],
    vocabulary_id="tiny",
    version="1",
)


@pytest.mark.parametrize("root", ["c4", "c1", "c2", "top"])
def test_nothing_is_assigned_in_a_branch_that_is_ruled_out(store: Store, root: str) -> None:
    rules = Rules(never_assigned=frozenset({root}))
    sent = [Operation(1, "accept", "c4"), Operation(2, "add", "c4"), Operation(3, "mark", "c4")]
    receipt = send(store, *sent, Operation(4, "reject", "c4"), concept_ids=HIERARCHY, rules=rules)
    assert (receipt.stored, codes(receipt)) == ((4,), ["ruled out"] * 3)
    assert receipt.refused[0].reason.endswith("not stored.")


def test_a_rule_changes_nothing_that_was_stored_before(store: Store) -> None:
    send(store, Operation(1, "accept", "c4"), concept_ids=HIERARCHY)
    rules = Rules(frozenset({"c3"}), frozenset({"c1"}))
    sent = [Operation(1, "accept", "c4"), Operation(2, "accept", "c3")]
    assert send(store, *sent, concept_ids=HIERARCHY, rules=rules) == Receipt((1, 2))


# Finishing


def finish(store: Store, sequence: int = 10, shown: int = 3) -> Receipt:
    return send(store, Operation(sequence, "finish", shown=shown))


def status(store: Store) -> str:
    return next(one.status for one in list_documents(store, 1) if one.document_id == "act")


def test_a_document_is_new_in_progress_and_finished(store: Store) -> None:
    assert status(store) == "new"
    send(store, Operation(1, "reject", "c1"))
    assert status(store) == "in progress"
    assert finish(store).settled == (10,)
    assert status(store) == "finished"
    listed = next(one for one in list_documents(store, 1) if one.document_id == "act")
    assert listed.finished_at == listed.updated_at
    send(store, Operation(11, "reopen"))
    assert status(store) == "in progress"
    send(store, Operation(12, "undo"))
    assert status(store) == "finished"
    send(store, Operation(13, "undo"))
    assert status(store) == "in progress"


def test_untouched_suggestions_that_were_shown_are_not_taken(store: Store) -> None:
    save_prediction(store, "act", prediction(6), settings={})
    send(store, Operation(1, "accept", "c1"), Operation(2, "reject", "c3"))
    assert not_taken(store, "act") == []
    finish(store, shown=5)
    assert not_taken(store, "act") == [
        NotTaken("c2", 0.45, 2, "guided", "http://x/2", "N2", "label 2"),
        NotTaken("c4", 0.225, 4, "guided", "http://x/4", "N4", "label 4"),
        NotTaken("c5", 0.18, 5, "guided", "http://x/5", "N5", "label 5"),
    ]
    assert set(states(store)) == {"c1", "c3"}
    save_prediction(store, "act", prediction(2), settings={})  # read again later
    assert len(not_taken(store, "act")) == 3
    send(store, Operation(20, "reopen"))
    assert not_taken(store, "act") == []


def test_what_the_text_denies_was_not_waiting_and_counts_once_it_is_accepted(store: Store) -> None:
    save_prediction(store, "act", denying(prediction(4), "c2", "c4"), settings={})
    send(store, Operation(1, "accept", "c4"))
    finish(store, shown=4)
    assert [one.concept_id for one in not_taken(store, "act")] == ["c1", "c3"]
    accepted = current(store, "act")["c4"]
    assert (accepted.state, accepted.added, accepted.rank) == ("accepted", False, 4)
    listed = next(one for one in list_documents(store, 1) if one.document_id == "act")
    assert (listed.n_suggested, listed.n_accepted) == (2, 1)


def test_what_a_rule_hid_at_the_finish_was_not_shown(store: Store) -> None:
    save_prediction(store, "act", prediction(5), settings={})
    set_rule(store, 1, "c1", NEVER_ASSIGNED, 1)  # and so c4, below it
    for concept_id in ("c2", "c3"):
        set_rule(store, 1, concept_id, NEVER_SUGGESTED, 1)
    lift_rule(store, 1, "c3", NEVER_SUGGESTED)
    finish(store, shown=5)
    set_rule(store, 1, "c5", NEVER_SUGGESTED, 1)  # later
    lift_rule(store, 1, "c2", NEVER_SUGGESTED)
    assert [one.concept_id for one in not_taken(store, "act", HIERARCHY)] == ["c3", "c5"]
    assert [one.concept_id for one in not_taken(store, "act")] == ["c3", "c4", "c5"]
    send(store, Operation(11, "reopen"))
    finish(store, sequence=12, shown=5)
    assert [one.concept_id for one in not_taken(store, "act", HIERARCHY)] == ["c2", "c3"]


def test_what_came_with_the_document_was_shown_whatever_rules_hide(store: Store) -> None:
    add_document(store, Document.from_text("came", "T", "t"), project_id=1, given=["c2"])
    save_prediction(store, "came", prediction(3), settings={})
    for concept_id in ("c2", "c3"):
        set_rule(store, 1, concept_id, NEVER_SUGGESTED, 1)
    send(store, Operation(10, "finish", shown=3), document_id="came")
    assert [one.concept_id for one in not_taken(store, "came")] == ["c1", "c2"]


def test_what_is_below_an_excluded_concept_was_decided(store: Store) -> None:
    save_prediction(store, "act", prediction(4), settings={})
    send(store, Operation(1, "exclude", "c1"))
    finish(store, shown=4)
    left = not_taken(store, "act", HIERARCHY)
    assert [one.concept_id for one in left] == ["c2", "c3"]


def test_a_finish_that_does_not_say_what_was_shown_takes_nothing_for_seen(store: Store) -> None:
    save_prediction(store, "act", prediction(4), settings={})
    send(store, {"sequence": 1, "action": "finish", "shown": "all"})
    assert (status(store), not_taken(store, "act")) == ("finished", [])


@pytest.mark.parametrize("action", ["accept", "clear", "mark", "exclude", "finish"])
def test_a_finished_document_takes_nothing_but_a_reopening(store: Store, action: str) -> None:
    finish(store, 1)
    concept_id = "" if action == "finish" else "c1"
    receipt = send(store, Operation(2, action, concept_id), client_id="another tab")
    assert codes(receipt) == ["finished"]
    assert "reopen it" in receipt.refused[0].reason
    assert send(store, Operation(2, "reopen")).settled == (2,)
    assert codes(send(store, Operation(3, "reopen"))) == ["not finished"]


def test_a_late_operation_from_before_the_finish_is_stored(store: Store) -> None:
    finish(store, 10)
    assert send(store, Operation(9, "accept", "c1")).stored == (9,)
    assert codes(send(store, Operation(11, "accept", "c2"))) == ["finished"]
    assert states(store) == {"c1": "accepted"}


def test_what_comes_from_similar_documents_never_replaces_a_decision(store: Store) -> None:
    send(store, Operation(1, "reject", "c1"), Operation(2, "exclude", "c2"))
    taken = [Operation(n, "add", f"c{n - 2}", source="similar", group="g") for n in (3, 4, 5)]
    receipt = send(store, *taken)
    assert [refusal.code for refusal in receipt.refused] == ["decided", "decided"]
    assert states(store) == {"c1": "rejected", "c2": "excluded", "c3": "accepted"}
    assert send(store, *taken).settled == (3, 4, 5)
