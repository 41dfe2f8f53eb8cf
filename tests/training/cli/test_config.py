"""Configurations: presets, overrides, and sentences for what is wrong."""

from typing import get_args

import pytest

from core.errors import ConfigError
from core.paths import PROJECT_ROOT
from training.config import RunConfig, load_config, setting_names


def write(tmp_path, text: str):
    path = tmp_path / "run.toml"
    path.write_text(text)
    return path


def test_the_paper_is_the_default_and_small_changes_what_it_names(tmp_path):
    paper = load_config(write(tmp_path, 'name = "x"'))
    assert (paper.model.pooling, paper.optim.encoder_lr, paper.reading.mode) == (
        "cls",
        3e-5,
        "first",
    )
    assert paper.reading.max_length_tokens == 512
    small = load_config(write(tmp_path, 'preset = "small"\n[optim]\nepochs = 2'))
    assert (small.model.pooling, small.optim.encoder_lr) == ("mean", 2e-4)
    assert small.optim.epochs == 2.0


def test_the_presets_of_flat_tasks_are_as_published(tmp_path):
    toxic = load_config(write(tmp_path, 'preset = "multi-label"'))
    optim = toxic.optim
    assert (optim.epochs, optim.batch_size, optim.encoder_lr) == (4, 32, 3e-5)
    assert (optim.head_lr, toxic.reading.max_length_tokens) == (3e-5, 512)
    assert (toxic.model.objective, toxic.model.plan) == ("multi_label", "none")
    triage = load_config(write(tmp_path, 'preset = "label-embedding"'))
    optim = triage.optim
    assert (optim.epochs, optim.batch_size, optim.encoder_lr, optim.head_lr) == (3, 32, 2e-5, 2e-5)
    assert (optim.optimizer, optim.weight_decay, optim.clip, optim.warmup) == ("adam", 0, 1, 0.1)
    assert triage.reading.max_length_tokens == 128
    assert (triage.model.objective, triage.model.assigned_head) == ("single_label", True)
    assert triage.model.label_embeddings == "random"


def test_a_resolved_configuration_reads_back_as_itself(tmp_path):
    config = load_config(write(tmp_path, 'preset = "small"\n[reading]\nboilerplate = "a\\\\d"'))
    again = load_config(write(tmp_path, config.to_toml()))
    assert again == config
    assert again.digest() == config.digest()
    assert config.replace("seed", 2).digest() != config.digest()


def test_paths_start_at_the_file_and_hub_ids_stay(tmp_path):
    (tmp_path / "acts").mkdir()
    text = '[data]\npath = "acts"\n[model]\nencoder = "bert-base-uncased"'
    config = load_config(write(tmp_path, text))
    assert config.data.path == str(tmp_path / "acts")
    assert config.model.encoder == "bert-base-uncased"


def test_a_folder_that_is_not_there_is_named_in_full(tmp_path):
    text = '[data]\npath = "../acts"\n[model]\nencoder = "../../runs/x"'
    config = load_config(write(tmp_path, text))
    assert config.data.path == str(tmp_path.parent / "acts")
    assert config.model.encoder == str(tmp_path.parent.parent / "runs" / "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[model]\nplam = 'flat'", "no setting “model.plam”.*did you mean “model.plan”"),
        ("[model]\nbatch_size = 3", "did you mean “optim.batch_size”"),
        ("plan = 'flat'", "no setting “plan”.*did you mean “model.plan”"),
        ("[modle]\nplan = 'flat'", r"no setting “modle”.*did you mean “\[model\]”"),
        ("model = 3", r"write \[model\] above its settings"),
        ("[optim]\nxyzzyx = 3", r"no setting “optim.xyzzyx” in a run's configuration\."),
        ("preset = 'huge'", "no preset “huge”"),
        ("seed = 'one'", "“seed” cannot be 'one': .*integer"),
        ("[model]\nassigned_head = 3", "“model.assigned_head” cannot be 3: .*boolean"),
        ("a = [", "not a TOML file"),
        ("preset = ['small']", "no preset"),
        ("[model]\npooling = 'clss'", "“model.pooling” cannot be 'clss': .*'cls' or 'mean'"),
        ("[model]\ndropout = 1.5", "“model.dropout” cannot be 1.5: .*less than or equal to 1"),
        ("[optim]\nbatch_size = 0", "“optim.batch_size” cannot be 0: .*equal to 1"),
        ("[optim]\nepochs = inf", "“optim.epochs” cannot be inf: .*finite"),
        ("[optim]\nencoder_lr = nan", "“optim.encoder_lr” cannot be nan"),
        ("[network]\nwidths = '3, 4'", "“network.widths” cannot be '3, 4'"),
        ("[adapt]\nmask_share = 0", "“adapt.mask_share” cannot be 0: .*greater than 0"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        load_config(write(tmp_path, text))


@pytest.mark.parametrize("word", ["ture", "1", "yes", "on", ""])
def test_a_switch_is_true_or_false(word):
    with pytest.raises(ConfigError, match="boolean"):
        RunConfig().replace("model.assigned_head", word)
    assert RunConfig().replace("model.assigned_head", "true").model.assigned_head is True
    assert RunConfig().replace("model.assigned_head", "False").model.assigned_head is False


def test_every_setting_has_help_and_takes_its_default_and_its_words():
    for path in (PROJECT_ROOT / "training" / "configs").rglob("*.toml"):
        load_config(path)
    config = RunConfig()
    for key in setting_names():
        section, _, name = key.rpartition(".")
        setting = type(getattr(config, section) if section else config).model_fields[name]
        assert (setting.description or "").strip().endswith("."), key
        assert config.replace(key, config.value(key)) == config
        for word in get_args(setting.annotation):
            assert config.replace(key, word).value(key) == word


def test_the_digest_of_a_run_does_not_depend_on_how_its_settings_were_given(tmp_path):
    written = load_config(write(tmp_path, "[optim]\nbatch_size = 4")).digest()
    assert RunConfig().replace("optim.batch_size", "4").digest() == written
    assert written != RunConfig().digest()


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(ConfigError, match="Cannot read"):
        load_config(tmp_path / "none.toml")


def test_the_presets_of_the_third_paper_are_as_published_but_for_one_rate(tmp_path):
    docbert = load_config(write(tmp_path, 'preset = "docbert"'))
    optim = docbert.optim
    assert (optim.batch_size, optim.encoder_lr, optim.head_lr, optim.epochs) == (16, 2e-5, 2e-5, 30)
    assert (docbert.reading.mode, docbert.reading.max_length_tokens) == ("first", 512)
    assert (docbert.model.pooling, optim.schedule, optim.warmup) == ("cls", "linear", 0.1)
    assert docbert.network.kind == "none"
    lstm = load_config(write(tmp_path, 'preset = "lstm_reg"'))
    network, optim = lstm.network, lstm.optim
    assert (network.hidden_units, network.embedding_dropout, network.weight_drop) == (512, 0.2, 0.1)
    # Published is 0.01, for word vectors that do not learn.
    assert (lstm.model.dropout, optim.encoder_lr, optim.batch_size) == (0.5, 3e-3, 32)
    assert (optim.weight_average, optim.epochs, optim.select) == (0.99, 30, "micro_f1")
    student = load_config(write(tmp_path, 'preset = "kd_lstm_reg"'))
    assert (student.optim.batch_size, student.network) == (128, network)
    assert (student.distill.weight, student.distill.copies) == (1.0, 3)


@pytest.mark.parametrize("kind", ["lstm_reg", "kim_cnn", "xml_cnn", "han", "sgm"])
def test_every_network_has_a_preset_of_its_name(tmp_path, kind):
    assert load_config(write(tmp_path, f'preset = "{kind}"')).network.kind == kind


def test_word_vectors_and_teachers_are_places_unless_they_are_words(tmp_path):
    (tmp_path / "random").mkdir()
    (tmp_path / "glove.txt").write_text("")
    assert load_config(write(tmp_path, "")).network.vectors == "random"
    text = '[network]\nvectors = "glove.txt"\n[distill]\nteacher = "../runs/teacher"'
    config = load_config(write(tmp_path, text))
    assert config.network.vectors == str(tmp_path / "glove.txt")
    assert config.distill.teacher == str(tmp_path.parent / "runs" / "teacher")
