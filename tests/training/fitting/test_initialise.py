"""Where heads start: label frequencies and label names."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix

from tests.support.models.tiny_bundle import tiny_label_space
from tests.support.models.tiny_model import tiny_model, tiny_tokenizer
from training.fitting.start_weights import (
    bias_from_frequency,
    level_biases,
    name_vectors,
    names_of,
    weights_from_names,
)


def test_biases_are_the_log_odds_of_frequencies():
    head = torch.nn.Linear(4, 3)
    y_true = csr_matrix(np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=np.float32))
    bias_from_frequency(head, y_true)
    expected = np.log([3.5 / 1.5, 1.5 / 3.5, 0.5 / 4.5])
    np.testing.assert_allclose(head.bias.detach().numpy(), expected, rtol=1e-6)


def test_each_level_gets_the_biases_of_its_own_columns():
    model = tiny_model("last_half", level_sizes=(1, 2), n_assigned=2)
    y_levels = csr_matrix(np.array([[1, 1, 0], [1, 0, 0]], dtype=np.float32))
    level_biases(model.level_heads, y_levels)
    first, second = (head.bias.detach().numpy() for head in model.level_heads.levels)
    np.testing.assert_allclose(first, [np.log(2.5 / 0.5)], rtol=1e-6)
    np.testing.assert_allclose(second, [0.0, np.log(0.5 / 2.5)], atol=1e-6)


@pytest.mark.parametrize("plan", ["flat", "last_half"])
def test_rows_of_a_head_start_in_the_direction_of_their_names(plan):
    space = tiny_label_space()
    sizes = tuple(len(space.level_columns(n)) for n in (1, 2, 3))
    n_assigned = int(space.assignable.sum())
    model = tiny_model(plan, level_sizes=sizes, n_assigned=n_assigned, pooling="mean")
    names = names_of(space, range(len(space)))
    vectors = name_vectors(model, tiny_tokenizer(), names, "cpu")
    assert all(len(v) == len(space) for v in vectors.values())
    weights_from_names(
        model,
        vectors,
        level_columns=np.flatnonzero(space.levels <= 3).tolist(),
        assigned_columns=np.flatnonzero(space.assignable).tolist(),
        scale=1.5,
    )
    norms = model.assigned_head.weight.norm(dim=1)
    torch.testing.assert_close(norms, torch.full_like(norms, 1.5))
    column = int(np.flatnonzero(space.assignable)[2])
    expected = 1.5 * vectors[6][column]
    torch.testing.assert_close(model.assigned_head.weight[2], expected)


def test_preferred_and_alternative_labels_are_the_names():
    space = tiny_label_space()
    names = names_of(space, range(len(space)))
    assert all(found[0] for found in names)
    assert any(len(found) > 1 for found in names)


def test_labels_that_no_head_learns_need_no_names() -> None:
    model = tiny_model("flat", pooling="mean")
    read = [["fish"], ["tax", "loan"]]
    alone = name_vectors(model, tiny_tokenizer(), read, "cpu")[6]
    among = name_vectors(model, tiny_tokenizer(), [read[0], [], read[1], []], "cpu")[6]
    torch.testing.assert_close(among[[0, 2]], alone)
