"""A batch shared by processes: their weighted means make the mean of the whole."""

import numpy as np
import pytest

from training.fitting.devices import shared


@pytest.mark.parametrize(("n_examples", "n_processes"), [(6, 2), (7, 2), (8, 3), (1, 2), (2, 4)])
def test_weighted_means_of_the_shares_average_to_the_mean_of_the_batch(n_examples, n_processes):
    losses = [float(2**n) for n in range(n_examples)]
    of_processes = [shared(losses, process, n_processes) for process in range(n_processes)]
    weighted = [weight * np.mean(mine) for mine, weight in of_processes]
    assert np.mean(weighted) == pytest.approx(np.mean(losses))


def test_shares_are_of_like_lengths_and_nobody_is_left_without_a_document():
    assert shared([1, 2, 3], 0, 2) == ([1, 3], 4 / 3)
    assert shared([1, 2, 3], 1, 2) == ([2], 2 / 3)
    assert shared([1], 1, 2) == ([1], 0.0)
    assert shared([1, 2], 0, 1) == ([1, 2], 1.0)
