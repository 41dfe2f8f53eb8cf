"""Runs with label embeddings: how they start, what they are judged by, and that they are served."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from core.documents.document import Document
from core.model.bundle.bundle import load_bundle
from core.model.guided import GuidedOutput
from core.model.label_embeddings import LabelSelfAttention
from core.model.token_terms import token_states
from core.suggest.opening import load_suggester
from tests.support.labelled import tiny_label_space
from tests.support.models.run_configs import label_config
from tests.support.models.tiny_model import tiny_model
from training.config import RunConfig
from training.fitting.losses import GuidedLoss, LabelLoss, Targets, label_targets
from training.fitting.run import Run, embedded_columns
from training.fitting.start_weights import start_weights
from training.shipping.package import package_bundle

# ------------------------------------------------------------------ where they start


def started(workshop: Path, start: str, **changes: object) -> tuple[Run, torch.Tensor]:
    run = Run(label_config(workshop, start, **changes), workshop / "unused")
    model = run.new_model()
    start_weights(run, model, run.inputs(run.train))
    assert model.label_embeddings is not None
    return run, model.label_embeddings.weight.detach()


def test_keywords_are_the_mean_of_the_word_pieces_of_a_labels_names(workshop):
    run, weight = started(workshop, "keywords")
    concept = run.label_space.hierarchy[run.label_space.concept_ids[run.label_columns[0]]]
    names = [concept.label("en"), *concept.alt_labels.get("en", ())[:4]]
    ids = [i for name in names for i in run.tokenizer.encode(name, add_special_tokens=False).ids]
    table = run.new_model().encoder.get_input_embeddings().weight.detach()
    torch.testing.assert_close(weight[0], table[ids].mean(dim=0))


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_a_class_starts_at_the_mean_of_its_documents(workshop, pooling):
    run, weight = started(workshop, "class_mean", model__pooling=pooling, reading__mode="first")
    chosen = run.train[0].assigned[0]
    row = run.label_columns.tolist().index(run.label_space.column(chosen))
    plain = Run(run.config.replace("model.label_embeddings", "none"), run.out)
    model, inputs = plain.new_model().eval(), plain.inputs(plain.train)
    of_class = [n for n, document in enumerate(run.train) if chosen in document.assigned]
    vectors = []
    for number in of_class:
        ids = torch.tensor([inputs.window(number, -1)])
        with torch.inference_mode():
            vectors.append(model.pooled_layers(ids, torch.ones_like(ids))[model.n_layers][0])
    expected = torch.stack(vectors).mean(dim=0)
    torch.testing.assert_close(weight[row], expected, atol=1e-4, rtol=1e-4)
    assert torch.isfinite(weight).all()  # the labels without a document as well


def test_all_else_starts_as_it_does_without_label_embeddings(workshop):
    for start in ("random", "class_mean"):
        run = Run(label_config(workshop, start), workshop / "unused")
        plain = Run(label_config(workshop, "none"), workshop / "unused")
        models = [run.new_model(), plain.new_model()]
        for each, model in zip((run, plain), models, strict=True):
            start_weights(each, model, each.inputs(each.train))
        states = [model.state_dict() for model in models]
        assert states[0].keys() - states[1].keys() == {"label_embeddings.weight"}
        for name, tensor in states[1].items():
            torch.testing.assert_close(states[0][name], tensor, atol=1e-6, rtol=1e-6)


def test_the_labels_that_are_assigned_are_embedded():
    space = tiny_label_space()
    model = RunConfig().model
    assert not len(embedded_columns(model, space))
    on = RunConfig().replace("model.label_embeddings", "random")
    assert embedded_columns(on.model, space).tolist() == [2, 3, 4, 5]


# ------------------------------------------------------------------ what they are judged by


def test_a_label_embedding_targets_itself_and_its_ancestors():
    # Columns: farm, sea (divisions), crops, fish, grape, wheat.
    targets = label_targets(
        tiny_label_space(),
        [0, 5],
        level_columns=range(6),
        assigned_columns=[2, 3, 4, 5],
    )
    assert targets.levels.tolist() == [[1, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 1]]
    assert targets.assigned.tolist() == [[0, 0, 0, 0], [0, 0, 0, 1]]


def test_the_loss_of_single_labels_is_the_mean_cross_entropy_times_lambda():
    logits = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    documents = GuidedLoss((2,), objective="single_label")
    loss = LabelLoss(documents, Targets(torch.zeros(2, 2), torch.eye(2)), weight=3.0)
    batch = Targets(torch.zeros(1, 2), torch.eye(2)[:1])
    output = GuidedOutput(None, torch.zeros(1, 2), labels=logits)
    expected = 3 * (np.log(1 + np.exp(-2)) + np.log(2)) / 2
    assert float(loss(output, batch)) == pytest.approx(expected, rel=1e-6)
    assert float(loss(GuidedOutput(None, torch.zeros(1, 2)), batch)) == 0


def test_the_loss_of_several_labels_is_that_of_documents():
    documents = GuidedLoss((1, 2), scale="sum")
    targets = Targets(torch.tensor([[1.0, 0, 1]]), torch.tensor([[0.0, 1]]))
    labels = torch.tensor([[1.0, -1, 2, 0.5, 3]])
    alone = documents(GuidedOutput(labels[:, :3], labels[:, 3:]), targets)
    output = GuidedOutput(torch.zeros(4, 3), torch.zeros(4, 2), labels=labels)
    assert float(LabelLoss(documents, targets, 2.0)(output, targets)) == pytest.approx(
        2 * float(alone)
    )


# ------------------------------------------------------------------ saved, loaded, served


def test_a_run_and_its_bundle_keep_the_label_matrix_and_the_predictor_serves_it(
    label_run, workshop
):
    stored = load_file(label_run / "model.safetensors")["label_embeddings.weight"]
    bundle = package_bundle(label_run, workshop / "bundle", name="labels")
    model = load_bundle(bundle).model
    torch.testing.assert_close(model.label_embeddings.weight, stored, atol=0.02, rtol=0.01)
    assert any(isinstance(module, LabelSelfAttention) for module in model.modules())
    predictor = load_suggester(bundle)
    fish, tax = (
        predictor.suggest(Document.from_text("x", f"regulation on the {words}", ""), limit=2)
        for words in ("fish quota bay", "tax loan bank")
    )
    assert {s.concept_id for s in fish.suggestions}.isdisjoint(
        s.concept_id for s in tax.suggestions
    )


# ------------------------------------------------------------------ what [CLS] attends to


def test_the_attention_of_cls_is_that_of_the_eager_kernel_and_knows_no_padding():
    torch.manual_seed(2)
    model = tiny_model(n_label_embeddings=5).eval()
    torch.nn.init.normal_(model.label_embeddings.weight, std=4.0)
    for layer in model.encoder.encoder.layer:
        torch.nn.init.normal_(layer.attention.self.query.weight, std=0.5)
        torch.nn.init.normal_(layer.attention.self.key.weight, std=0.5)
    ids, mask = torch.randint(5, 60, (2, 9)), torch.ones(2, 9, dtype=torch.long)
    mask[1, 6:] = 0
    weights = token_states(model, ids, mask).attention / mask.sum(dim=1, keepdim=True)
    assert not weights[1, 6:].any()
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(2))
    model.encoder.set_attn_implementation("eager")
    eager = model.encoder(input_ids=ids, attention_mask=mask, output_attentions=True).attentions
    torch.testing.assert_close(weights, eager[-1][:, :, 0].mean(dim=1), atol=1e-5, rtol=1e-4)
