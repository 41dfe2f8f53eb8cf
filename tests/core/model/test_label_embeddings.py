"""Label embeddings in self-attention: equations 5-10 of Wang et al. (2020), and nothing else."""

import copy

import numpy as np
import pytest
import torch
from transformers import BertConfig, DistilBertConfig

from core.errors import ConfigError
from core.model import label_embeddings
from core.model.guided import GuidedClassifier, Shape, empty_encoder
from core.model.label_embeddings import LabelSelfAttention, attend_by_labels, best_label_scores
from tests.support.models.tiny_model import tiny_encoder, tiny_model

pytestmark = pytest.mark.usefixtures("seed_of_five")


def inputs(n_documents: int = 3, n_tokens: int = 9) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    input_ids = torch.randint(5, 60, (n_documents, n_tokens), generator=generator)
    return input_ids, torch.ones_like(input_ids)


def labelled_model(plan: str = "flat", n_labels: int = 7, **shape: object) -> GuidedClassifier:
    """A tiny model whose labels are large enough to win many of the keys."""
    settings = {"label_embeddings": "random", "n_label_embeddings": n_labels, **shape}
    model = tiny_model(plan, **settings)
    if model.label_embeddings is not None:
        torch.nn.init.normal_(model.label_embeddings.weight, std=3.0)
    _enlarge_queries(model.encoder)
    return model


def _enlarge_queries(encoder: torch.nn.Module) -> None:
    # BERT's small random weights would leave all attention nearly even.
    for layer in encoder.encoder.layer:
        for projection in (layer.attention.self.query, layer.attention.self.key):
            torch.nn.init.normal_(projection.weight, std=0.5)


def one_layer(implementation: str = "sdpa") -> tuple[LabelSelfAttention, torch.nn.Embedding]:
    """One layer of two heads of two units, with two labels."""
    config = BertConfig(
        vocab_size=10,
        hidden_size=4,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        attention_probs_dropout_prob=0.0,
        attn_implementation=implementation,
    )
    encoder, labels = empty_encoder(config), torch.nn.Embedding(2, 4)
    _enlarge_queries(encoder)
    torch.nn.init.normal_(encoder.encoder.layer[0].attention.self.query.bias)
    attend_by_labels(encoder, labels)
    return encoder.encoder.layer[0].attention.self.eval(), labels


def by_the_equations(
    attention: LabelSelfAttention, x_l: np.ndarray, x: np.ndarray, n_tokens: int
) -> np.ndarray:
    """The output of [CLS] for one text of `n_tokens`, head by head, in plain numpy."""

    def projected(name: str, rows: np.ndarray) -> np.ndarray:
        linear = getattr(attention, name)
        return rows @ linear.weight.detach().numpy().T + linear.bias.detach().numpy()

    q, k, v, q_l = (projected(*pair) for pair in _PAIRS(x, x_l))
    outputs = []
    for head in (slice(0, 2), slice(2, 4)):
        own = q[0, head] @ k[:n_tokens, head].T  # S, and the score of [CLS] to itself before it
        a_l = q_l[:, head] @ k[:n_tokens, head].T  # equation 6, on raw dot products
        s_prime = np.concatenate([own[None], a_l]).max(axis=0)  # equation 7
        row = np.concatenate([own[:1], s_prime[1:]]) / np.sqrt(2)  # equation 8, √d once
        probs = np.exp(row - row.max()) / np.exp(row - row.max()).sum()
        outputs.append(probs @ v[:n_tokens, head])  # equation 3
    return np.concatenate(outputs)


def _PAIRS(x: np.ndarray, x_l: np.ndarray) -> list[tuple[str, np.ndarray]]:
    return [("query", x), ("key", x), ("value", x), ("query", x_l)]


@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
def test_values_by_hand_of_one_layer_and_two_heads(implementation):
    attention, labels = one_layer(implementation)
    states = torch.randn(1, 5, 4)
    output, weights = attention(states)
    x_l = labels.weight.detach().numpy()
    expected = by_the_equations(attention, x_l, states[0].numpy(), 5)
    np.testing.assert_allclose(output[0, 0].detach(), expected, atol=1e-6)
    if weights is not None:
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(1, 2, 5))

    # The last two are padding, as the bidirectional mask of sdpa and of eager attention has it.
    kept = torch.tensor([[[[True, True, True, False, False]]]])
    mask = kept if implementation == "sdpa" else torch.where(kept, 0.0, torch.finfo().min)
    output, _ = attention(states, mask.expand(1, 1, 5, 5))
    expected = by_the_equations(attention, x_l, states[0].numpy(), 3)
    np.testing.assert_allclose(output[0, 0].detach(), expected, atol=1e-6)


def test_some_label_and_some_cls_score_wins_and_cls_to_itself_stays():
    attention, labels = one_layer()
    states = torch.randn(8, 6, 4)
    keys, query = attention.key(states), attention.query(states[:, :1])
    heads = [x.unflatten(-1, (2, 2)).transpose(1, 2) for x in (query, keys)]
    plain = (heads[0] @ heads[1].transpose(2, 3)) / 2**0.5
    regarded = attention.cls_scores(*heads)
    torch.testing.assert_close(regarded[..., 0], plain[..., 0])
    assert (regarded >= plain - 1e-6).all()
    raised = (regarded - plain)[..., 1:] > 1e-6
    assert raised.any() and not raised.all()
    torch.nn.init.normal_(labels.weight, std=100.0)
    torch.testing.assert_close(attention.cls_scores(*heads)[..., 0], plain[..., 0])


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_without_labels_it_is_exactly_the_plain_encoder(pooling):
    plain = tiny_model(pooling=pooling).eval()
    same = copy.deepcopy(plain)
    attend_by_labels(same.encoder, torch.nn.Embedding(0, 16))
    assert same.state_dict().keys() == plain.state_dict().keys()
    with torch.inference_mode():
        torch.testing.assert_close(same(*inputs()).levels, plain(*inputs()).levels, rtol=0, atol=0)


def test_without_label_embeddings_nothing_is_replaced():
    model = tiny_model()
    assert model.label_embeddings is None
    assert not any(isinstance(m, LabelSelfAttention) for m in model.modules())
    assert model.train()(*inputs()).labels is None


def test_only_the_cls_row_changes_in_a_layer():
    attention, labels = one_layer()
    states = torch.randn(3, 6, 4)
    with_labels, _ = attention(states)
    attention._labels = (torch.nn.Embedding(0, 4),)
    plain, _ = attention(states)
    torch.testing.assert_close(with_labels[:, 1:], plain[:, 1:], rtol=0, atol=0)
    assert (with_labels[:, 0] - plain[:, 0]).abs().max() > 1e-3
    assert labels.weight.shape == (2, 4)


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_padding_changes_nothing(pooling):
    model = labelled_model(pooling=pooling).eval()
    input_ids, mask = inputs()
    more = torch.full((3, 7), 11)
    with torch.inference_mode():
        short = model(input_ids, mask)
        long = model(torch.cat([input_ids, more], 1), torch.cat([mask, torch.zeros_like(more)], 1))
    torch.testing.assert_close(short.levels, long.levels, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(short.assigned, long.assigned, atol=1e-5, rtol=1e-5)


def test_the_texts_gradient_reaches_the_label_matrix():
    model = labelled_model().train()
    model(*inputs()).levels.square().sum().backward()
    gradient = model.label_embeddings.weight.grad
    assert gradient.abs().sum() > 0


def test_blocks_of_labels_give_the_scores_and_gradients_of_a_plain_maximum(monkeypatch):
    keys = torch.randn(2, 3, 5, 4)
    queries = torch.randn(3, 11, 4, requires_grad=True)
    (keys @ queries.transpose(1, 2)).amax(dim=-1).square().sum().backward()
    expected, queries.grad = queries.grad, None
    monkeypatch.setattr(label_embeddings, "SCORE_BYTES", 4 * 2 * 3 * 5 * 4)  # four labels a block
    best = best_label_scores(queries, keys)
    torch.testing.assert_close(best.squeeze(2), (keys @ queries.transpose(1, 2)).amax(dim=-1))
    best.square().sum().backward()
    torch.testing.assert_close(queries.grad, expected)
    with torch.no_grad():
        torch.testing.assert_close(best_label_scores(queries, keys), best)


@pytest.mark.parametrize("plan", ["flat", "last_half", "one_by_one", "in_pairs", "hybrid", "none"])
def test_label_embeddings_pass_through_the_heads_of_every_plan(plan):
    sizes = (2, 3, 4, 5, 3, 2)
    shape = Shape(plan, sizes, 6, label_embeddings="random", n_label_embeddings=5)
    model = GuidedClassifier(tiny_encoder(12), shape).train()
    labels = model(*inputs()).labels
    assert labels.shape == (5, 6 if plan == "none" else sum(sizes) + 6)
    labels.square().sum().backward()
    assert model.label_embeddings.weight.grad.abs().sum() > 0
    assert all(p.grad is None or not p.grad.any() for p in model.encoder.parameters())
    assert model.eval()(*inputs()).labels is None


def test_where_a_head_reads_two_layers_the_embedding_stands_for_both():
    shape = Shape("in_pairs", (2, 3), 0, dropout=0.0, n_label_embeddings=2)
    model = GuidedClassifier(tiny_encoder(4), shape).train()
    x_l = model.label_embeddings.weight
    expected = [head(torch.cat([x_l, x_l], dim=-1)) for head in model.level_heads.levels]
    torch.testing.assert_close(model(*inputs()).labels, torch.cat(expected, dim=-1))


def test_heads_start_alike_with_labels_and_without():
    torch.manual_seed(1)
    plain = tiny_model()
    torch.manual_seed(1)
    labelled = tiny_model(n_label_embeddings=4)
    state = labelled.state_dict()
    assert state.pop("label_embeddings.weight").shape == (4, 16)
    assert state.keys() == plain.state_dict().keys()
    assert all(torch.equal(state[name], tensor) for name, tensor in plain.state_dict().items())


def test_eager_attention_tells_the_weights_that_cls_really_pays():
    model = labelled_model().eval()
    model.encoder.set_attn_implementation("eager")
    attentions = model.encoder(inputs()[0], output_attentions=True).attentions
    plain = tiny_encoder()
    plain.load_state_dict(model.encoder.state_dict())
    plain.set_attn_implementation("eager")
    others = plain.eval()(inputs()[0], output_attentions=True).attentions
    assert len(attentions) == 6
    torch.testing.assert_close(attentions[0][:, :, 1:], others[0][:, :, 1:])
    assert (attentions[0][:, :, 0] - others[0][:, :, 0]).abs().max() > 1e-3


def test_an_encoder_that_is_no_bert_is_refused():
    config = DistilBertConfig(vocab_size=10, dim=8, hidden_dim=8, n_layers=1, n_heads=2)
    shape = Shape("none", (1,), 2, n_label_embeddings=2)
    with pytest.raises(ConfigError, match="BERT family, not distilbert"):
        GuidedClassifier(empty_encoder(config), shape)


def test_bf16_changes_little_and_gives_numbers():
    model = labelled_model().eval()
    with torch.inference_mode():
        exact = model(*inputs()).assigned
        with torch.autocast("cpu", dtype=torch.bfloat16):
            rough = model(*inputs()).assigned
    assert torch.isfinite(rough).all()
    torch.testing.assert_close(rough.float(), exact, atol=0.1, rtol=0.1)
