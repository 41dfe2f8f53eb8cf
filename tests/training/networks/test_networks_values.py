"""What each small network computes, by hand or by what torch has of it."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.model.networks import NetworkConfig
from core.model.networks.lstm_reg import LstmReg, turn_around
from tests.support.models.preset_networks import preset_network
from training.networks.convolutional import KimCnn, XmlCnn, dynamic_max
from training.networks.han import AttentiveGru, Han, attended


def config(kind: str, **settings: object) -> NetworkConfig:
    return preset_network(kind, 20, **settings)


def whole(*ids: int) -> tuple[Tensor, Tensor]:
    """One text without padding."""
    return torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.long)


def seeded_lstm(**settings: object) -> LstmReg:
    torch.manual_seed(0)
    sizes = {"vector_size": 4, "hidden_units": 3, "embedding_dropout": 0.0}
    return LstmReg(config("lstm_reg", **{**sizes, **settings}))


# ------------------------------------------------------------------ LSTM_reg


def test_the_lstm_is_that_of_torch_with_the_maximum_of_relu_over_time() -> None:
    network = seeded_lstm().eval()
    torchs = nn.LSTM(4, 3, batch_first=True, bidirectional=True)
    for name, weight in network.forwards.named_parameters():
        getattr(torchs, name).data.copy_(weight)
    for name, weight in network.backwards.named_parameters():
        getattr(torchs, name + "_reverse").data.copy_(weight)
    ids, mask = whole(3, 9, 4, 9, 1)
    states, _ = torchs(network.embeddings.word_embeddings(ids))
    torch.testing.assert_close(network(ids, mask), states.relu().amax(dim=1))


def test_a_text_is_turned_around_without_its_padding() -> None:
    vectors = torch.tensor([[[1.0], [2.0], [3.0], [0.0]], [[5.0], [6.0], [0.0], [0.0]]])
    turned = turn_around(vectors, vectors.squeeze(-1) > 0)
    assert turned.squeeze(-1).tolist() == [[3, 2, 1, 0], [6, 5, 0, 0]]


def test_weight_drop_is_in_training_only_and_hidden_to_hidden_only() -> None:
    network = seeded_lstm(weight_drop=0.9)
    one_word, two_words = whole(3), whole(3, 8)
    served_one, served_two = (network.eval()(*given) for given in (one_word, two_words))
    network.train()
    # Where a text is one word, no state meets hidden-to-hidden weights.
    assert torch.equal(network(*one_word), served_one)
    assert not torch.allclose(network(*two_words), served_two)
    network.eval()
    assert torch.equal(network(*two_words), served_two)


def test_weight_drop_makes_up_for_what_it_leaves_out() -> None:
    network = seeded_lstm(weight_drop=0.5, hidden_units=20)
    weight = network.forwards.weight_hh_l0
    dropped = network.dropped("weight_hh_l0", weight)
    assert set((dropped / weight).round().flatten().tolist()) == {0.0, 2.0}
    assert 0.4 < (dropped == 0).float().mean() < 0.6
    assert torch.equal(network.dropped("weight_ih_l0", weight), weight)
    assert torch.equal(network.dropped("bias_hh_l0", weight), weight)


# ------------------------------------------------------------------ convolutions


def by_hand(kind: type[KimCnn] | type[XmlCnn], **settings: object) -> KimCnn | XmlCnn:
    """One filter of width 2 that takes the second word from the first; words are their ids."""
    name = "kim_cnn" if kind is KimCnn else "xml_cnn"
    network = kind(config(name, vector_size=1, channels=1, widths=(2,), **settings)).eval()
    network.embeddings.start_from(torch.arange(20.0)[:, None])
    filters = network.filters.filters[0]
    assert isinstance(filters, nn.Conv1d)
    filters.weight.data.copy_(torch.tensor([[[1.0, -1.0]]]))
    nn.init.zeros_(filters.bias)
    return network


def test_kim_cnn_takes_the_maximum_over_time() -> None:
    network = by_hand(KimCnn)
    # Runs of 3 1 2: (0 3) (3 1) (1 2) (2 0) give -3 2 -1 2.
    assert network(*whole(3, 1, 2)).tolist() == [[2]]
    # One word that ends a run: 5 - 0.
    assert network(*whole(5)).tolist() == [[5]]
    nn.init.constant_(network.filters.filters[0].bias, -9.0)
    assert network(*whole(3, 1, 2)).tolist() == [[0]]


def test_dynamic_pooling_is_the_adaptive_pooling_of_each_row_alone() -> None:
    runs = torch.randn(5, 2, 21, generator=torch.Generator().manual_seed(1))
    lengths = torch.tensor([21, 16, 9, 3, 1])
    top = dynamic_max(runs, lengths, 8)
    for row, length in enumerate(lengths.tolist()):
        expected = F.adaptive_max_pool1d(runs[row : row + 1, :, :length], 8)[0]
        assert torch.equal(top[row], expected)


def test_xml_cnn_joins_the_maxima_of_parts_in_its_bottleneck() -> None:
    network = by_hand(XmlCnn, pool=2, bottleneck=1)
    assert isinstance(network, XmlCnn)
    network.bottleneck.weight.data.copy_(torch.tensor([[1.0, 10.0]]))
    nn.init.constant_(network.bottleneck.bias, 3.0)
    # Runs of 3 1 2 are -3 2 | -1 2: one maximum in each half, 2 + 10 · 2 + 3.
    assert network(*whole(3, 1, 2)).tolist() == [[25]]
    nn.init.constant_(network.bottleneck.bias, -30.0)
    assert network(*whole(3, 1, 2)).tolist() == [[0]]


# ------------------------------------------------------------------ HAN


def seeded_han(**settings: object) -> Han:
    torch.manual_seed(0)
    return Han(config("han", vector_size=4, hidden_units=3, **settings)).eval()


def test_sentences_end_where_the_last_of_their_ends_is() -> None:
    network = seeded_han(sentence_ends=(7, 8), max_sentence_tokens=3)
    ids = torch.tensor([[2, 7, 3, 7, 8, 5], [4, 7, 0, 0, 0, 0], [1, 2, 3, 4, 7, 9]])
    found = network.find_sentences(ids, ids > 0)
    # 2 7 | 3 7 8 | 5, 4 7, and 1 2 3 | 4 7 | 9, of which the first is cut.
    assert found.sentence.tolist() == [0, 0, 1, 1, 1, 2, 3, 3, 4, 4, 4, 5, 5, 6]
    assert found.place.tolist() == [0, 1, 0, 1, 2, 0, 0, 1, 0, 1, 2, 0, 1, 0]
    assert found.text.tolist() == [0, 0, 0, 1, 2, 2, 2]
    assert found.place_in_text.tolist() == [0, 1, 2, 0, 0, 1, 2]


def test_attention_is_the_softmax_of_how_much_a_state_is_like_the_context() -> None:
    torch.manual_seed(0)
    module = AttentiveGru(4, 3)
    vectors = torch.randn(6, 4)
    row, place = torch.tensor([0, 0, 0, 0, 1, 1]), torch.tensor([0, 1, 2, 3, 0, 1])
    states, attention = module(vectors, row, place)
    expected, _ = module.gru(vectors[None, 4:])
    torch.testing.assert_close(states[1, :2], expected[0])
    scores = module.context.weight[0] @ module.projection(expected[0]).tanh().T
    torch.testing.assert_close(attention[1], torch.cat([scores.softmax(-1), torch.zeros(2)]))
    torch.testing.assert_close(attention.sum(dim=1), torch.ones(2))
    nn.init.zeros_(module.context.weight)
    states, attention = module(vectors, row, place)
    assert attention.tolist() == [[0.25] * 4, [0.5, 0.5, 0, 0]]
    torch.testing.assert_close(attended(states, attention)[1], states[1, :2].mean(dim=0))


def test_a_text_of_one_sentence_is_its_state() -> None:
    network = seeded_han(sentence_ends=(7,))
    ids, mask = whole(1, 2, 3, 7)
    states, attention = network.words(
        network.embeddings(ids, mask)[0], torch.zeros(4, dtype=torch.long), torch.arange(4)
    )
    sentence = attended(states, attention)
    state, _ = network.sentences.gru(sentence[None])
    torch.testing.assert_close(network(ids, mask), state[0])
