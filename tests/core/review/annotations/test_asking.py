"""Two annotations of a document: asked for, made, given up, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from core.errors import StoreError
from core.review.annotations.access import (
    ADJUDICATED,
    ALL_FINISHED,
    BEING_ANNOTATED,
    READY,
    WAITING,
    annotation_states,
    annotations_to_make,
    list_annotators,
    with_own,
)
from core.review.annotations.annotated import annotated_documents, audited_encounters
from core.review.annotations.asking import ask_once, ask_twice, drawn_share, hand_over
from core.review.decisions.recording import Operation, current, version
from core.review.decisions.writer import ANNOTATED_SINCE
from core.review.listed import to_adjudicate
from core.review.people.assignments import (
    Assignment,
    list_assignments,
    next_for,
    next_to_review,
    set_urgent,
)
from core.review.reports.finished import finished_versions
from core.review.reports.following import next_unfinished
from core.review.reports.history import read_history
from core.review.reports.summaries import list_documents
from core.review.reports.team import read_team
from core.review.store.arrivals import find_same_text
from core.review.store.copying import copy_store
from core.review.store.documents import (
    fetch_document,
    remove_document,
    restore_document,
    set_document_id,
    set_title,
)
from core.review.store.predictions import latest_prediction, save_prediction
from core.review.store.projects import contents
from core.review.store.rules import NEVER_SUGGESTED, lift_rule, set_rule
from core.review.store.store import Store
from tests.support.ledger import rebuild
from tests.support.people import FIVE
from tests.support.stores import prediction, send, states

pytestmark = pytest.mark.usefixtures("on_both")
ME, JO, ANN = 1, 2, 3


def twice(store: Store, *names: str, people: tuple[int, ...] = (JO, ANN)) -> list[str]:
    return ask_twice(store, 1, names or ["a"], people, asked_by=ME)


def finish(store: Store, document_id: str, person_id: int, *concept_ids: str) -> None:
    added = [Operation(n, "add", i) for n, i in enumerate(concept_ids, start=1)]
    operations = [*added, Operation(len(added) + 1, "finish", shown=3)]
    client = f"b{person_id}:{document_id} {version(store, document_id)}"
    send(store, *operations, document_id=document_id, person_id=person_id, client_id=client)


def test_a_share_is_drawn_by_its_seed() -> None:
    ids = [f"d{number}" for number in range(40)]
    assert drawn_share(ids, 10, seed=7) == drawn_share(reversed(ids), 10, seed=7)
    assert len(drawn_share(ids, 10, seed=7)) == 4
    assert drawn_share(ids, 10, seed=7) != drawn_share(ids, 10, seed=8)
    assert len(drawn_share(ids, 0.1, seed=7)) == 1
    assert sorted(drawn_share(ids, 100, seed=7)) == sorted(ids)


def test_each_of_two_people_has_a_row_in_place_of_the_document(shelf: Store) -> None:
    save_prediction(shelf, "a", prediction(), settings={"limit": 3})
    assert twice(shelf, "a") == []
    assert annotations_to_make(shelf, 1, JO) == {"a": "a~1"}
    assert annotations_to_make(shelf, 1, ANN) == {"a": "a~2"}
    assert annotations_to_make(shelf, 1, ME) == {}
    listed = list_documents(shelf, 1)
    assert [row.document_id for row in listed] == ["e", "d", "c", "b", "a"]
    own = with_own(shelf, 1, ANN, listed)
    assert [row.document_id for row in own] == ["e", "d", "c", "b", "a~2"]
    assert (own[-1].title, own[-1].status, own[-1].n_suggested) == ("A", "new", 3)
    assert fetch_document(shelf, "a~2").text == "Text."
    stored = latest_prediction(shelf, "a~2")
    assert stored is not None and stored.prediction == prediction()
    assert list_assignments(shelf, 1) == {"a~1": Assignment(JO), "a~2": Assignment(ANN)}


def test_people_take_turns_so_that_all_have_as_many(shelf: Store) -> None:
    twice(shelf, *FIVE[:3], people=(ME, JO, ANN))
    pairs = [
        frozenset(who for who in (ME, JO, ANN) if i in annotations_to_make(shelf, 1, who))
        for i in FIVE[:3]
    ]
    assert Counter(pairs) == {frozenset(two): 1 for two in ((ME, JO), (ME, ANN), (JO, ANN))}


def test_one_person_alone_makes_no_two_annotations(shelf: Store) -> None:
    with pytest.raises(StoreError, match="two people"):
        twice(shelf, people=(JO, JO))


def test_what_is_begun_or_annotated_already_is_left_out(shelf: Store) -> None:
    send(shelf, Operation(1, "add", "c1"), document_id="b", person_id=JO)
    send(shelf, Operation(1, "add", "c1"), document_id="c", person_id=JO, client_id="j")
    finish(shelf, "c", ANN)  # two people decided
    remove_document(shelf, "d")
    twice(shelf, "a")
    assert twice(shelf, *FIVE, "nowhere") == ["a", "b", "c", "d", "nowhere"]


def test_annotations_come_first_and_their_documents_are_in_nobodys_queue(shelf: Store) -> None:
    twice(shelf, "b")
    assert next_for(shelf, 1, "c", JO) == "b~1"
    assert next_for(shelf, 1, "b~1", JO) == "c"  # goes on behind it
    visited, here = set(), None
    while (following := next_unfinished(shelf, 1, here)) is not None:
        finish(shelf, following, ME, "c1")
        visited.add(following)
        here = following
    assert visited == {"a", "c", "d", "e"}


def test_it_is_adjudicated_by_a_finish_after_both_have_finished(shelf: Store) -> None:
    twice(shelf, "a")
    assert annotation_states(shelf, 1) == {"a": WAITING}
    finish(shelf, "a~1", JO, "c1", "c2")
    assert next_unfinished(shelf, 1, None, queue=to_adjudicate(None)) is None
    finish(shelf, "a~2", ANN, "c2", "c3")
    assert annotation_states(shelf, 1) == {"a": READY}
    assert annotations_to_make(shelf, 1, JO) == {}
    assert next_unfinished(shelf, 1, "c", queue=to_adjudicate(None)) == "a"
    assert next_unfinished(shelf, 1, None, queue=to_adjudicate(JO)) is None
    finish(shelf, "a", ME, "c2")
    assert annotation_states(shelf, 1) == {"a": ADJUDICATED}
    assert next_unfinished(shelf, 1, None, queue=to_adjudicate(None)) is None
    assert states(shelf, "a~1") == {"c1": "accepted", "c2": "accepted"}  # both stay


def test_who_has_annotated_a_document_is_not_led_to_judge_it(shelf: Store) -> None:
    twice(shelf, "a")
    for document_id, person_id in (("a~1", JO), ("a~2", ANN), ("a", ME), ("b", ANN), ("c", ME)):
        finish(shelf, document_id, person_id, "c1")
    for reviewer, following in ((JO, "b"), (ANN, "b"), (ME, "b"), (None, "a")):
        assert next_to_review(shelf, 1, "c", unless_by=reviewer) == following


def test_what_one_person_has_finished_is_the_first_annotation(shelf: Store) -> None:
    save_prediction(shelf, "a", prediction(), settings={})
    accepting = [
        Operation(1, "accept", "c1"),
        Operation(2, "add", "c9", source="search"),
        Operation(3, "reject", "c2"),
        Operation(4, "mark", "c9"),
        Operation(5, "accept", "c3"),
        Operation(6, "undo"),
        Operation(7, "order", value=("c9", "c1")),
        Operation(8, "finish", shown=3),
    ]
    send(shelf, *accepting, person_id=JO, document_id="a", client_id="b:1")
    before = current(shelf, "a")
    assert twice(shelf, "a", people=(ME, ANN)) == []
    (copy,) = (i for i in ("a~1", "a~2") if current(shelf, i))
    assert current(shelf, copy) == before == current(shelf, "a")
    assert annotation_states(shelf, 1) == {"a": WAITING}  # though the document is finished
    assert finished_versions(shelf, 1, at_most=9) == {}  # and teaches nothing meanwhile
    assert annotations_to_make(shelf, 1, JO) == {"a": copy}
    moments = [(e.action, e.decided_at) for e in read_history(shelf, copy)]
    assert moments == [
        (e.action, e.decided_at)
        for e in read_history(shelf, "a")
        if e.action != "undo" and e.concept_id != "c3"
    ]
    held = version(shelf, copy)
    rebuild(shelf)  # the ledger alone says the same
    assert (current(shelf, copy), version(shelf, copy)) == (before, held)


def test_nobodys_undo_takes_copied_decisions_back(shelf: Store) -> None:
    finish(shelf, "a", JO, "c1")
    twice(shelf, "a")
    send(shelf, Operation(1, "undo"), document_id="b", person_id=JO, client_id="b9:x")
    assert states(shelf, "a~1") == {"c1": "accepted"}


def test_an_undo_elsewhere_leaves_what_all_have_finished(shelf: Store) -> None:
    twice(shelf, "a")
    finish(shelf, "a~1", JO, "c1")
    finish(shelf, "a~2", ANN, "c1")
    client = "b2:page"
    receipt = send(shelf, Operation(1, "undo"), document_id="b", person_id=JO, client_id=client)
    assert ALL_FINISHED in receipt.refused[0].reason
    assert annotation_states(shelf, 1) == {"a": READY}


def test_an_undo_elsewhere_leaves_what_was_finished_before_others_annotate(shelf: Store) -> None:
    finish(shelf, "a", JO, "c1")
    twice(shelf, "a")
    client = "b2:page"
    receipt = send(shelf, Operation(1, "undo"), document_id="b", person_id=JO, client_id=client)
    assert BEING_ANNOTATED in receipt.refused[0].reason
    assert list_documents(shelf, 1, title="a")[0].status == "finished"


def test_an_undo_takes_an_outcome_back_and_not_what_was_before(shelf: Store) -> None:
    finish(shelf, "a", JO, "c1")
    twice(shelf, "a")
    finish(shelf, "a~2", ANN, "c2")
    undo, client = Operation(1, "undo"), "b2:page"
    receipt = send(shelf, undo, document_id="b", person_id=JO, client_id=client)
    assert receipt.refused[0].reason == ANNOTATED_SINCE
    reopen = Operation(1, "reopen")
    send(shelf, reopen, document_id="a", person_id=ME, client_id="b1:a", may_review=True)
    finish(shelf, "a", ME, "c2")
    send(shelf, undo, document_id="b", person_id=ME, client_id="b1:page")
    assert list_documents(shelf, 1, title="a")[0].status == "in progress"


def test_nothing_is_written_to_a_document_that_waits(shelf: Store) -> None:
    twice(shelf, "a")
    receipt = send(shelf, Operation(1, "add", "c1"), document_id="a", person_id=ME)
    assert receipt.refused[0].reason == BEING_ANNOTATED and current(shelf, "a") == {}


def test_a_document_is_urgent_with_its_annotations(shelf: Store) -> None:
    twice(shelf, "a", "b")
    set_urgent(shelf, 1, ["b"], is_urgent=True)
    assert next_for(shelf, 1, None, JO) == "b~1" and next_for(shelf, 1, None, ANN) == "b~2"
    set_urgent(shelf, 1, ["b~1"], is_urgent=False)  # as who leads and annotates names it
    assert next_for(shelf, 1, None, ANN) == "a~2"


def test_title_and_id_are_those_of_the_document(shelf: Store) -> None:
    twice(shelf, "a")
    set_title(shelf, "a~1", "On honey")  # as who leads and annotates sees it
    assert {fetch_document(shelf, i).title for i in ("a", "a~1", "a~2")} == {"On honey"}
    finish(shelf, "b", JO, "c1")
    twice(shelf, "b")
    with pytest.raises(StoreError, match="decided on this document"):
        set_document_id(shelf, "b~2", "y")
    set_document_id(shelf, "a~1", "z")
    assert annotations_to_make(shelf, 1, JO) == {"z": "a~1", "b": "b~1"}
    assert fetch_document(shelf, "a~1").title == fetch_document(shelf, "z").title


def test_annotations_of_what_lies_in_the_bin_do_not_wait(shelf: Store) -> None:
    twice(shelf, "a", "b")
    remove_document(shelf, "a")
    assert sum(read_team(shelf, 1)[1].by_person.values()) == 2


def test_annotations_are_given_up_while_nobody_has_decided(shelf: Store) -> None:
    finish(shelf, "b", JO, "c1")
    twice(shelf, "a", "b", "c")
    finish(shelf, "c~1", JO, "c1")
    assert ask_once(shelf, 1, ["a", "b", "c"]) == ["c"]
    assert annotations_to_make(shelf, 1, ANN) == {"c": "c~2"}
    assert sorted(list_assignments(shelf, 1)) == ["c~1", "c~2"]
    assert next_for(shelf, 1, None, JO) == "a"
    assert list(finished_versions(shelf, 1, at_most=9)) == ["b"]
    assert list_documents(shelf, 1, removed=True) == []  # they are in no bin
    assert twice(shelf, "a") == []
    assert annotations_to_make(shelf, 1, JO) == {"a": "a~3", "c": "c~1"}


def test_begun_annotations_are_withdrawn_where_a_lead_insists_unless_all_are_finished(
    shelf: Store,
) -> None:
    twice(shelf, "a", "b")
    for document_id, person_id in (("a~1", JO), ("b~1", JO), ("b~2", ANN)):
        finish(shelf, document_id, person_id, "c1")
    assert ask_once(shelf, 1, ["a", "b"], withdraws=True) == ["b"]
    assert annotation_states(shelf, 1) == {"b": READY}
    assert annotations_to_make(shelf, 1, JO) == {} and current(shelf, "a") == {}
    assert [event.person for event in read_history(shelf, "a~1")] == ["jo", "jo"]
    assert next_for(shelf, 1, None, JO) == "a"


def test_what_was_withdrawn_is_counted_nowhere_and_in_the_way_of_no_undo(shelf: Store) -> None:
    send(shelf, Operation(1, "add", "c1"), document_id="b", person_id=JO, client_id="b2:b")
    twice(shelf, "a")
    added = Operation(1, "add", "c1"), Operation(2, "add", "c2")
    send(shelf, *added, document_id="a~1", person_id=JO, client_id="b2:a")
    before = read_team(shelf, 1)[0], contents(shelf, 1)
    ask_once(shelf, 1, ["a"], withdraws=True)
    assert (read_team(shelf, 1)[0], contents(shelf, 1)) == before
    assert (before[0][0].n_decisions, before[1].n_decisions) == (1, 1)
    undo = Operation(1, "undo")
    receipt = send(shelf, undo, document_id="c", person_id=JO, client_id="b2:c")
    assert [undone.document_id for undone in receipt.undone] == ["b"]
    assert set(states(shelf, "a~1")) == {"c1", "c2"}


def test_an_annotation_that_is_not_begun_is_handed_over(shelf: Store) -> None:
    twice(shelf, "a", "b")
    finish(shelf, "a~1", JO, "c1")
    assert hand_over(shelf, 1, ["a", "c"], ME, asked_by=ME) == ["c"]
    assert annotations_to_make(shelf, 1, ME) == {"a": "a~3"}
    assert annotations_to_make(shelf, 1, ANN) == {"b": "b~2"}
    assert list_assignments(shelf, 1)["a~3"] == Assignment(ME)
    assert hand_over(shelf, 1, ["a"], JO, asked_by=ME) == ["a"]  # nobody makes both
    assert annotations_to_make(shelf, 1, ME) == {"a": "a~3"}


def test_what_is_begun_is_handed_over_in_place_of_a_person_and_counts_nowhere(shelf: Store) -> None:
    ask_twice(shelf, 1, ["a"], (JO, ANN), asked_by=ME, due_on=date(2031, 5, 4))
    send(shelf, Operation(1, "add", "c1"), document_id="a~1", person_id=JO, client_id="bjo:a")
    finish(shelf, "a~2", ANN, "c2")
    assert list_annotators(shelf, 1) == {"a": [JO, ANN]}
    assert hand_over(shelf, 1, ["a"], ME, asked_by=ME) == ["a"]  # one is begun, one is finished
    assert hand_over(shelf, 1, ["a"], ME, asked_by=ME, former=ANN) == ["a"]
    assert hand_over(shelf, 1, ["a"], ME, asked_by=ME, former=JO) == []
    assert annotations_to_make(shelf, 1, JO) == {}
    assert annotations_to_make(shelf, 1, ME) == {"a": "a~3"}
    assert list_assignments(shelf, 1)["a~3"] == Assignment(ME, date(2031, 5, 4))
    assert current(shelf, "a~3") == {}
    assert [event.person for event in read_history(shelf, "a~1")] == ["jo"]
    finish(shelf, "a~3", ME, "c2")
    (outcome,) = annotated_documents(shelf, 1)
    assert set(outcome.annotations) == {"me", "ann"}


def test_annotations_go_and_come_back_with_their_document(shelf: Store) -> None:
    twice(shelf, "a")
    remove_document(shelf, "a~1")  # as the one who annotates removes it from their list
    assert annotations_to_make(shelf, 1, JO) == annotations_to_make(shelf, 1, ANN) == {}
    assert next_for(shelf, 1, None, JO) == "b"
    assert [row.document_id for row in list_documents(shelf, 1, removed=True)] == ["a"]
    restore_document(shelf, "a")
    assert annotations_to_make(shelf, 1, ANN) == {"a": "a~2"}


def test_a_document_keeps_its_annotations_under_another_id(shelf: Store) -> None:
    twice(shelf, "a")
    set_document_id(shelf, "a", "z")
    assert annotations_to_make(shelf, 1, JO) == {"z": "a~1"}
    assert fetch_document(shelf, "a~1").text == "Text."


def test_annotations_are_copied_to_another_database(shelf: Store, tmp_path: Path) -> None:
    finish(shelf, "a", JO, "c1")
    twice(shelf, "a", "b")
    url = shelf.engine.url.render_as_string(hide_password=False)
    copied = f"sqlite:///{tmp_path}/copy.sqlite"
    copy_store(url, copied)
    with closing(Store.open(copied)) as other:
        assert annotation_states(other, 1) == {"a": WAITING, "b": WAITING}
        assert states(other, "a~1") == {"c1": "accepted"}


def test_what_arrives_is_never_taken_for_an_annotation(shelf: Store) -> None:
    twice(shelf, "a", "b")
    assert find_same_text(shelf, "a~1") is None
    assert find_same_text(shelf, "c") == "a"


def test_finished_pairs_are_annotated_documents(shelf: Store) -> None:
    for name in ("a", "b"):
        save_prediction(shelf, name, prediction(), settings={})
    twice(shelf, "a", "b")
    for name in ("a~1", "b~1"):
        taken = [Operation(1, "accept", "c1"), Operation(2, "add", "c2"), Operation(3, "add", "c9")]
        finishing = Operation(4, "finish", shown=2)
        send(shelf, *taken, finishing, document_id=name, person_id=JO, client_id=f"j:{name}")
    set_rule(shelf, 1, "c3", NEVER_SUGGESTED, ME)
    finish(shelf, "a~2", ANN, "c9")
    lift_rule(shelf, 1, "c3", NEVER_SUGGESTED)
    (annotated,) = annotated_documents(shelf, 1)
    jo, ann = annotated.annotations["jo"], annotated.annotations["ann"]
    assert (annotated.document_id, annotated.week[4:6]) == ("a", "-W")
    assert (jo.concept_ids, jo.typed) == ({"c1", "c2", "c9"}, {"c2", "c9"})
    assert (jo.ranks, ann.ranks) == ({"c1": 1, "c2": 2}, {"c1": 1, "c2": 2})
    assert (ann.concept_ids, ann.typed) == ({"c9"}, {"c9"})


def test_the_reference_is_the_outcome_or_else_the_second_coder(shelf: Store) -> None:
    twice(shelf, "a")
    finish(shelf, "a~1", JO, "c1", "c2")
    finish(shelf, "a~2", ANN, "c2")
    (one,) = audited_encounters(shelf, 1)
    assert (one.coder, [c.code for c in one.codes]) == ("jo", ["c1", "c2"])
    assert [c.code for c in one.reference] == ["c2"]
    finish(shelf, "a", ME, "c3")
    both = audited_encounters(shelf, 1)
    assert [(e.coder, e.reference[0].code) for e in both] == [("jo", "c3"), ("ann", "c3")]
