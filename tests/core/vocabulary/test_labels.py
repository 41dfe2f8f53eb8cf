from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace


def test_columns_go_by_level_and_then_by_id_as_text() -> None:
    concepts = [
        Concept("10", "u:10", None, {"": "ten"}),
        Concept("9", "u:9", None, {"": "nine"}),
        Concept("1", "u:1", None, {"": "one"}, broader=("9",)),
    ]
    space = LabelSpace(Hierarchy(concepts, vocabulary_id="v", version="1"))
    assert space.concept_ids == ("10", "9", "1")
    assert space.levels.tolist() == [1, 1, 2]
    assert space.column("1") == 2


def test_columns_do_not_depend_on_the_order_of_the_file(tiny_space: LabelSpace) -> None:
    concepts = [tiny_space.hierarchy[i] for i in reversed(list(tiny_space.hierarchy))]
    turned = LabelSpace(Hierarchy(concepts, vocabulary_id="v", version="1"))
    assert turned.concept_ids == tiny_space.concept_ids


def test_level_columns_part_the_space(tiny_space: LabelSpace) -> None:
    parts = [tiny_space.level_columns(level) for level in range(1, tiny_space.n_levels + 1)]
    assert [len(part) for part in parts] == [2, 3, 4, 5, 3]
    assert np.concatenate(parts).tolist() == list(range(len(tiny_space)))
    assert tiny_space.level_columns(9).tolist() == []


def test_divisions_are_not_assignable(tiny_space: LabelSpace) -> None:
    divisions = {tiny_space.concept_ids[i] for i in np.flatnonzero(~tiny_space.assignable)}
    assert divisions == {"d04", "d08", "t0406", "t0411", "t0806"}


def test_positions_leave_out_divisions_and_what_is_unknown(tiny_space: LabelSpace) -> None:
    ids = [tiny_space.concept_ids[i] for i in np.flatnonzero(tiny_space.assignable)]
    division = tiny_space.concept_ids[np.flatnonzero(~tiny_space.assignable)[0]]
    assert list(tiny_space.assignable_position) == ids
    assert tiny_space.positions([ids[2], "x", ids[0], division, ids[2]]).tolist() == [0, 2]


def test_deprecated_concepts_have_no_column() -> None:
    concepts = [
        Concept("a", "u:a", None, {"": "a"}),
        Concept("b", "u:b", None, {"": "b"}, deprecated=True),
    ]
    space = LabelSpace(Hierarchy(concepts, vocabulary_id="v", version="1"))
    assert space.concept_ids == ("a",)
    assert "b" not in space
    with pytest.raises(VocabularyError, match="Concept b has no column in v 1"):
        space.column("b")


def test_encode_assigned_marks_what_was_assigned_only(tiny_space: LabelSpace) -> None:
    encoded = tiny_space.encode([["103", "103", "202"], [], ["nowhere"]], augmented=False)
    assert encoded.shape == (3, len(tiny_space))
    assert encoded.dtype == np.float32
    rows = [sorted(tiny_space.concept_ids[i] for i in row.indices) for row in encoded]
    assert rows == [["103", "202"], [], []]
    assert encoded.data.tolist() == [1.0, 1.0]


def test_encode_augmented_adds_every_ancestor_once(tiny_space: LabelSpace) -> None:
    encoded = tiny_space.encode([["205", "102"], []], augmented=True)
    found = {tiny_space.concept_ids[i] for i in encoded[0].indices}
    assert found == {"205", "102", "101", "t0406", "d04", "201", "t0806", "d08"}
    assert encoded.nnz == len(found)
    assert encoded.has_sorted_indices


def test_encode_of_no_document_is_empty(tiny_space: LabelSpace) -> None:
    assert tiny_space.encode([], augmented=True).shape == (0, len(tiny_space))


def test_unknown_ids_are_counted(tiny_space: LabelSpace) -> None:
    assert tiny_space.unknown([["103", "x"], ["x", "y"]]) == {"x": 2, "y": 1}


def test_raising_broader_pairs_in_order_reaches_the_top(tiny_space: LabelSpace) -> None:
    values = np.zeros(len(tiny_space))
    values[tiny_space.column("205")] = 0.5
    for narrower, broader in tiny_space.broader_pairs:
        values[broader] = max(values[broader], values[narrower])
    raised = {tiny_space.concept_ids[i] for i in np.flatnonzero(values)}
    assert raised == {"205"} | tiny_space.hierarchy.ancestors("205")


def test_broader_pairs_hold_every_link_from_below_upwards(tiny_space: LabelSpace) -> None:
    assert tiny_space.broader_pairs.shape == (tiny_space.hierarchy.n_edges, 2)
    levels = tiny_space.levels[tiny_space.broader_pairs]
    assert (levels[:, 0] > levels[:, 1]).all()
    assert (np.diff(levels[:, 0]) <= 0).all()


def test_broader_pairs_of_a_flat_vocabulary_have_two_columns() -> None:
    flat = Hierarchy([Concept("a", "u:a", None, {})], vocabulary_id="v", version="1")
    assert LabelSpace(flat).broader_pairs.shape == (0, 2)


def test_saved_and_loaded_spaces_agree(tiny_space: LabelSpace, tmp_path: Path) -> None:
    tiny_space.save(tmp_path / "label_space.jsonl")
    loaded = LabelSpace.load(tmp_path / "label_space.jsonl")
    assert loaded.concept_ids == tiny_space.concept_ids
    assert loaded.levels.tolist() == tiny_space.levels.tolist()
    assert loaded.assignable.tolist() == tiny_space.assignable.tolist()
    assert loaded.broader_pairs.tolist() == tiny_space.broader_pairs.tolist()
    assert all(loaded.hierarchy[i] == tiny_space.hierarchy[i] for i in tiny_space.concept_ids)
    assert loaded.hierarchy.vocabulary_id == tiny_space.hierarchy.vocabulary_id
    assert loaded.hierarchy.version == "1.0"
    assert loaded.hierarchy.uri_base == "http://vocabulary.example/"


def test_a_packed_file_is_found_beside_its_name_and_the_same_each_time(
    tiny_space: LabelSpace, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        tiny_space.save(tmp_path / f"{name}.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    for path in (tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"):
        assert LabelSpace.load(path).concept_ids == tiny_space.concept_ids
    tiny_space.save(tmp_path / "plain.jsonl")
    assert len((tmp_path / "plain.jsonl").read_bytes()) > (tmp_path / "a.jsonl.gz").stat().st_size


def test_of_a_plain_and_a_packed_file_none_is_taken_for_the_other(
    tiny_space: LabelSpace, tmp_path: Path
) -> None:
    for name in ("space.jsonl", "space.jsonl.gz"):
        tiny_space.save(tmp_path / name)
    with pytest.raises(VocabularyError, match=r"space.jsonl and space.jsonl.gz are both there"):
        LabelSpace.load(tmp_path / "space.jsonl")


@pytest.mark.parametrize("content", [b"no gzip", b"", b"\x1f\x8b\x08"])
def test_a_damaged_packed_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "space.jsonl.gz").write_bytes(content)
    with pytest.raises(VocabularyError, match="space"):
        LabelSpace.load(tmp_path / "space.jsonl")


def test_a_line_separator_inside_a_label_survives(tmp_path: Path) -> None:
    odd = Concept("a", "u:a", None, {"en": "one\u2028two\x85three"})
    LabelSpace(Hierarchy([odd], vocabulary_id="v", version="1")).save(tmp_path / "space")
    assert LabelSpace.load(tmp_path / "space").hierarchy["a"] == odd


def test_saved_lines_say_what_the_bundle_format_asks(
    tiny_space: LabelSpace, tmp_path: Path
) -> None:
    tiny_space.save(tmp_path / "space")
    header, *lines = map(json.loads, (tmp_path / "space").read_text("utf-8").splitlines())
    assert header["vocabulary_id"] == tiny_space.hierarchy.vocabulary_id
    assert len(lines) == len(tiny_space) == header["n_concepts"]
    herb = next(line for line in lines if line["concept_id"] == "205")
    assert herb == {
        "concept_id": "205",
        "uri": "http://vocabulary.example/205",
        "notation": "205",
        "pref_label": {"en": "kitchen herb", "fr": "herbe aromatique"},
        "alt_labels": {"en": ["potherb"]},
        "broader": ["102", "201"],
        "level": 5,
        "assignable": True,
    }


def test_related_concepts_go_with_a_bundle_and_the_prose_of_a_thesaurus_does_not(
    tmp_path: Path,
) -> None:
    noted = Concept("a", "u:a", None, {"en": "a"}, notes={"note": {"en": ("x",)}}, related=("b",))
    other = Concept("b", "u:b", None, {"en": "b"})
    LabelSpace(Hierarchy([noted, other], vocabulary_id="v", version="1")).save(tmp_path / "space")
    loaded = LabelSpace.load(tmp_path / "space").hierarchy["a"]
    assert (loaded.related, loaded.notes) == (("b",), {})


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: text.replace("strata-label-space-1", "another"),
        lambda text: "\n".join(text.splitlines()[:-1]),
        lambda text: "\n".join([*text.splitlines()[:1], *reversed(text.splitlines()[1:])]),
        lambda text: text.replace('"broader"', '"wider"'),
        lambda text: "[]\n" + text,
    ],
    ids=["cut", "empty", "format", "line missing", "order", "key", "header"],
)
def test_a_damaged_file_is_refused(tiny_space: LabelSpace, tmp_path: Path, damage) -> None:
    path = tmp_path / "label_space.jsonl"
    tiny_space.save(path)
    path.write_text(damage(path.read_text("utf-8")), "utf-8")
    with pytest.raises(VocabularyError, match=r"label_space\.jsonl"):
        LabelSpace.load(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="cannot be read"):
        LabelSpace.load(tmp_path / "nothing")
