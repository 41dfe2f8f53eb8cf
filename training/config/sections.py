"""The settings of a run by section: each with its type, its bounds, its default and its meaning.

A value that no code knows would train something else in silence, or fail after an hour: it is
refused while a configuration is read. Plans, folds, formats, tasks and adaptation
are checked by what reads them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

Count = Annotated[int, Field(ge=0)]
Number = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
# Networks that leave everything out do not learn.
DropShare = Annotated[float, Field(ge=0, le=0.99)]

_TRUTHS = {"true": True, "false": False}
_READERS: dict[Any, Any] = {int: int, float: float, bool: lambda text: _TRUTHS[text.lower()]}


class ConfigSection(BaseModel):
    """Settings that are read together; the text below each is its help."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )

    @field_validator("*", mode="before")
    @classmethod
    def _read_text(cls, value: Any, about: ValidationInfo) -> Any:
        reader = _READERS.get(cls.model_fields[str(about.field_name)].annotation)
        try:
            return reader(value) if reader and isinstance(value, str) else value
        except (ValueError, KeyError):
            return value


class DataConfig(ConfigSection):
    """The corpus and vocabulary, and which part of them."""

    format: str = "acts_jsonl"
    """Name of a reader in `training.corpora.readers`."""
    path: str = ""
    """Folder of the corpus; relative to the configuration file."""
    vocabulary: str = ""
    """SKOS file, relative to the configuration file; "" for the labels that the corpus names."""
    task: str = ""
    """Which of the tasks of a format, such as "mrpc" of "glue" or "single" of "reuters"."""
    newest: Count = 0
    """Train on this many of the newest training documents; 0 for all."""
    cut: Count = 0
    """Train on this many, drawn at random with the run's seed; 0 for all."""
    fold: str = ""
    """`2/5` holds the second fifth of the corpus out as test, "train 2/5" that of its training
    documents alone, and "everything 2/5" that of all, with a tenth of the others as dev; "dev"
    judges the corpus's own dev, and tunes on a tenth of train; "all" learns from all documents but
    a tenth, on which it is tuned, for a model that is judged elsewhere; "everything" learns from
    all, for a model that is tuned elsewhere, too; "before 2013" learns from the documents before a
    date and judges the later ones; "" takes the corpus's splits."""
    labels: Literal["all", "coded", "learned"] = "all"
    """Of a vocabulary that has far more than the corpus uses: "all", "coded" for those that are
    assigned anywhere in the corpus and what is above them, or "learned" for those of its training
    documents."""
    skip_levels: Count = 0
    """Most general levels of the vocabulary that are not learned."""


class ModelConfig(ConfigSection):
    """Encoder, plan and heads."""

    encoder: str = "bert-base-uncased"
    """Hub id or folder of a `transformers` encoder."""
    plan: str = "flat"
    """A name of `core.model.plans.PLAN_NAMES`; "none" for no level heads."""
    depth: Number = 6
    """Levels that are learned."""
    pooling: Literal["cls", "mean"] = "cls"
    """`cls` is the paper's."""
    assigned_head: bool = False
    """Whether a head learns what is assigned."""
    initialise_heads: Literal["zero", "names"] = "zero"
    """`names` starts from the encoder's vectors of the labels."""
    dropout: Share = 0.1
    """On the vectors that the heads read."""
    encoder_dropout: Share = 0.1
    """Inside the encoder (hidden states and attention)."""
    objective: Literal["multi_label", "single_label"] = "multi_label"
    """`multi_label` is sigmoid and BCE, "single_label" softmax and cross-entropy of the assigned
    head."""
    label_embeddings: Literal["none", "random", "keywords", "class_mean"] = "none"
    """How the label embeddings of the self-attention start."""
    label_attention: Literal["none", "label_wise"] = "none"
    """`label_wise` for an assigned head in which each label attends to the word pieces by itself.
    """
    frozen: Literal["none", "words"] = "none"
    """`words` for word embeddings that stay as the encoder came with them, so that models of one
    encoder share them."""


class ReadingConfig(ConfigSection):
    """How text becomes word pieces."""

    mode: Literal["first", "windows", "pair"] = "first"
    """`first` (the first word pieces of title and text: the paper), "windows" (the title alone, and
    windows of the text that each begin with the title) or "pair" (title and text as two texts with
    segments of their own, the longer cut first)."""
    max_length_tokens: Annotated[int, Field(ge=3)] = 512
    """Length of one input, special tokens counted."""
    title_tokens: Count = 48
    """Word pieces of the title at the head of a window."""
    max_title_tokens: Count = 96
    """Word pieces of a title that is read alone."""
    windows_per_document: Count = 1
    """Windows drawn from each text in each epoch; with 0, texts are not read at evaluation either.
    """
    boilerplate: str = ""
    """Regular expression of text that is skipped in training and serving."""
    token_dropout: Share = 0.0
    """Share of word pieces replaced by the mask token in training."""
    mixed_styles: Share = 0.0
    """Share of the texts that are read in another style in each epoch of training: their sections
    (of a text without headings: its sentences) in another order, one of them left out, or under
    other headings."""
    normalise: Literal["none", "clinical"] = "none"
    """`clinical` leaves out the placeholders of de-identification, the headers of sections and the
    numbers of lists, in training and serving."""


class OptimConfig(ConfigSection):
    """Optimiser, schedule and loss."""

    optimizer: Literal["adam", "adamw"] = "adam"
    """`adamw` decays the weights apart from the gradients."""
    encoder_lr: Amount = 3e-5
    """Peak learning rate of the encoder."""
    head_lr: Amount = 3e-5
    """Peak learning rate of the heads."""
    weight_decay: Amount = 0.0
    """Weight decay of the optimiser."""
    schedule: Literal["constant", "linear", "one_cycle"] = "constant"
    """`linear` is warm-up and decay."""
    warmup: Share = 0.0
    """Share of the steps that the learning rate rises."""
    batch_size: Number = 8
    """Documents a step and process."""
    accumulate: Number = 1
    """Batches that make one update."""
    epochs: Amount = 20
    """Passes over the training documents."""
    clip: Amount = 0.0
    """Largest norm of the gradients; 0 for any."""
    loss_scale: Literal["mean", "sum"] = "mean"
    """`mean` (the paper's L) or "sum" (L times the number of labels: the same direction, and a size
    that suits larger learning rates)."""
    patience: Count = 2
    """Epochs without a better dev loss before stopping; 0 never stops early."""
    start_from: str = ""
    """Weights of an earlier run that training starts from."""
    min_steps: Count = 0
    """At least this many updates, by more epochs where the corpus is small."""
    max_steps: Count = 0
    """At most this many updates, over which the learning rate is scheduled; 0 for any number."""
    dev_losses: Count = 20
    """How often in a run the dev loss is measured, about; early stopping reads it after each epoch.
    """
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    """`auto` is the fastest that this machine has."""
    # With a decay of one, the average would never leave the weights that the run began with.
    weight_average: Annotated[float, Field(ge=0, le=0.99999)] = 0.0
    """Decay of the exponential average of the weights, which is corrected for its start, measured
    on dev and saved in the end; 0 for the weights of the last step."""
    max_minutes: Amount = 0.0
    """Most training time, resumed parts together; time that the process was suspended or waited for
    a core does not count; the run then ends as at its last epoch, and its run.json has it as
    capped. 0 for no limit. A resumed run ends where an unbroken one does only as far as both are
    equally fast."""
    select: Literal["loss", "micro_f1"] = "loss"
    """What patience goes by and the best weights are chosen by: "loss", or "micro_f1" (of the
    assigned head at 0.5; with one label a document, the share that is right)."""


class AdaptConfig(ConfigSection):
    """What an encoder learns from the words of a corpus alone (`training adapt`)."""

    masked_lm: bool = True
    """Whether it learns to fill in word pieces that are hidden."""
    next_sentence: bool = True
    """Whether it learns which segment of text follows another."""
    mask_share: Annotated[float, Field(gt=0, lt=1)] = 0.15
    """Share of the word pieces that are to be predicted."""
    full_texts_only: bool = False
    """Leave out documents of which only the title is known."""


class NetworkSettings(ConfigSection):
    """A network over word vectors in the encoder's place; see `core.model.networks`.

    What a kind has no use for, it does not read. Dropout on the text vector is `model.dropout`.
    """

    kind: Literal["none", "lstm_reg", "kim_cnn", "xml_cnn", "han", "sgm"] = "none"
    """`none` for an encoder."""
    vectors: str = "random"
    """How word vectors start: "random", "encoder" (word pieces of `model.encoder` and its
    embeddings of them), or a file in the text format of word2vec or GloVe."""
    vector_size: Number = 300
    """Of random vectors, and of those that `training vectors` writes; those of an encoder or a file
    have a size of their own."""
    max_words: Number = 30_000
    """Most words that are known, the most frequent ones; the encoder's pieces all are."""
    min_count: Number = 2
    """How often a word must occur in the training documents to be known."""
    hidden_units: Number = 512
    """Of a recurrent network, in each direction."""
    widths: Annotated[str, Field(pattern=r"^[1-9]\d{0,3}(,[1-9]\d{0,3})*$")] = "3,4,5"
    """Of the filters, in words: whole numbers from 1, with commas between them."""
    embedding_dropout: DropShare = 0.0
    """Share of the words whose vectors are left out of a training step."""
    weight_drop: DropShare = 0.0
    """Share of the hidden-to-hidden weights that are left out of a training step."""


class DistillConfig(ConfigSection):
    """What a student learns from a teacher; see `training.distill`."""

    teacher: str = ""
    """Folder of a finished run or of a bundle; "" for none."""
    weight: Amount = 1.0
    """λ, of the loss that compares the student with its teacher."""
    copies: Number = 1
    """Size of the transfer set in training sets, the original documents counted."""
    mask_share: Share = 0.1
    """Share of the words that are masked in a copy."""
    swap_share: Share = 0.1
    """Share of the words that are swapped for one of the same part of speech."""
