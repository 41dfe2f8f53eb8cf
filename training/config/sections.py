"""The sections of a run's configuration, with what each setting means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DataConfig:
    """Which corpus and vocabulary, and what of them.

    Attributes:
        format: name of a reader in `training.corpora.readers`.
        path: folder of the corpus; relative to the configuration file.
        vocabulary: SKOS file; relative to the configuration file. "" for a flat list of labels:
            those that the corpus itself names.
        task: which of the tasks of a format, such as "mrpc" of "glue" or "single" of "reuters".
        newest: train on this many of the newest training documents; 0 for all.
        cut: train on this many, drawn at random with the run's seed; 0 for all.
        fold: "2/5" holds the second fifth of the corpus out as test, and "train 2/5" of its training
            documents alone; "dev" judges the corpus's own
            dev, and tunes on a tenth of train; "all" learns from all documents but a tenth, on
            which it is tuned, for a model that is judged elsewhere; "everything" learns from all,
            for a model that is tuned elsewhere, too; "before 2013" learns from the documents before
            a date and judges the later ones; "" takes the corpus's splits.
        judged: judge on at most this many test documents and half as many of dev, the same ones
            for every seed; 0 for all.
        labels: of a vocabulary that has far more than the corpus uses: "all", "coded" for those
            that are assigned anywhere in the corpus and what is above them, or "learned" for those
            of its training documents.
        skip_levels: most general levels of the vocabulary that are not learned.
    """

    format: str = "acts_jsonl"
    path: str = ""
    vocabulary: str = ""
    task: str = ""
    newest: int = 0
    cut: int = 0
    fold: str = ""
    judged: int = 0
    labels: str = "all"
    skip_levels: int = 0


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Encoder, plan and heads.

    Attributes:
        encoder: hub id or folder of a `transformers` encoder.
        plan: flat, last_half, one_by_one, in_pairs or hybrid; "none" for no level heads.
        auxiliary_plan: plan of extra guided heads that only training uses; "none" for none.
        depth: levels that are learned.
        pooling: "cls" (the paper) or "mean".
        assigned_head: whether a head learns what is assigned.
        initialise_heads: "zero" or "names" (from the encoder's vectors of the labels).
        dropout: on the vectors that the heads read.
        encoder_dropout: inside the encoder (hidden states and attention).
        objective: "multi_label" (sigmoid and BCE) or "single_label" (softmax and cross-entropy
            of the assigned head).
        label_embeddings: "none", or how the label embeddings of the self-attention start:
            "random", "keywords" or "class_mean".
        label_levels: levels whose labels are embedded; 0 for the labels that are assigned.
        guided_heads: which attention heads learn a part of the hierarchy; "none" for none.
        label_attention: "none", or "label_wise" for an assigned head in which each label attends to
            the word pieces by itself.
        frozen: "none", or "words" for word embeddings that stay as the encoder came with them, so
            that models of one encoder share them.
    """

    encoder: str = "bert-base-uncased"
    plan: str = "flat"
    auxiliary_plan: str = "none"
    depth: int = 6
    pooling: str = "cls"
    assigned_head: bool = False
    initialise_heads: str = "zero"
    dropout: float = 0.1
    encoder_dropout: float = 0.1
    objective: str = "multi_label"
    label_embeddings: str = "none"
    label_levels: int = 0
    guided_heads: str = "none"
    label_attention: str = "none"
    frozen: str = "none"


@dataclass(frozen=True, slots=True)
class ReadingConfig:
    """How text becomes word pieces.

    Attributes:
        mode: "first" (the first word pieces of title and text: the paper), "windows" (the title
            alone, and windows of the text that each begin with the title) or "pair" (title and
            text as two texts with segments of their own, the longer cut first).
        max_length_tokens: length of one input, special tokens counted.
        title_tokens: word pieces of the title at the head of a window.
        max_title_tokens: word pieces of a title that is read alone.
        windows_per_document: windows drawn from each text in each epoch; with 0, texts are not
            read at evaluation either.
        boilerplate: regular expression of text that is skipped in training and serving.
        token_dropout: share of word pieces replaced by the mask token in training.
        normalise: "clinical" leaves out the placeholders of de-identification, the headers of
            sections and the numbers of lists, in training and serving; "none" reads all.
        sections_left_out: kinds of clinical sections that are not read, with commas between them.
    """

    mode: str = "first"
    max_length_tokens: int = 512
    title_tokens: int = 48
    max_title_tokens: int = 96
    windows_per_document: int = 1
    boilerplate: str = ""
    token_dropout: float = 0.0
    normalise: str = "none"
    sections_left_out: str = ""


@dataclass(frozen=True, slots=True)
class OptimConfig:
    """Optimiser, schedule and loss.

    Attributes:
        encoder_lr, head_lr: peak learning rates.
        schedule: "constant", "linear" (warm-up and decay) or "one_cycle".
        warmup: share of the steps that the learning rate rises.
        batch_size: documents a step and process; `accumulate` batches make one update.
        epochs: passes over the training documents.
        loss_scale: "mean" (the paper's L) or "sum" (L times the number of labels: the same
            direction, and a size that suits larger learning rates).
        alpha: weight of the assigned head's loss beside the levels'.
        patience: epochs without a better dev loss before stopping; 0 never stops early.
        min_steps: at least this many updates, by more epochs where the corpus is small.
        dev_losses: how often in a run the dev loss is measured, about; early stopping reads it
            after each epoch.
        label_loss: weight λ of the loss of the label embeddings.
        heads_loss: weight of the loss of the guided attention heads.
        precision: "auto" (the fastest that this machine has), "fp32", "bf16" or "fp16".
        weight_average: decay of the exponential average of the weights, which is corrected for its
            start, measured on dev and saved in the end; 0 for the weights of the last step.
        max_minutes: most training time, resumed parts together; time that the process was
            suspended or waited for a core does not count; the run then ends as at its last
            epoch, and its run.json has it as capped. 0 for no limit. A resumed run ends where an
            unbroken one does only as far as both are equally fast.
        select: what patience goes by and the best weights are chosen by: "loss", or "micro_f1" (of
            the assigned head at 0.5; with one label a document, the share that is right).
    """

    optimizer: str = "adam"
    encoder_lr: float = 3e-5
    head_lr: float = 3e-5
    weight_decay: float = 0.0
    schedule: str = "constant"
    warmup: float = 0.0
    batch_size: int = 8
    accumulate: int = 1
    epochs: float = 20
    clip: float = 0.0
    loss_scale: str = "mean"
    alpha: float = 1.0
    patience: int = 2
    start_from: str = ""
    min_steps: int = 0
    dev_losses: int = 20
    label_loss: float = 3.0
    heads_loss: float = 1.0
    precision: str = "auto"
    weight_average: float = 0.0
    max_minutes: float = 0.0
    select: str = "loss"


@dataclass(frozen=True, slots=True)
class AdaptConfig:
    """What an encoder learns from the words of a corpus alone (`training adapt`).

    Attributes:
        masked_lm: whether it learns to fill in word pieces that are hidden.
        next_sentence: whether it learns which segment of text follows another.
        mask_share: share of the word pieces that are to be predicted.
        full_texts_only: leave out documents of which only the title is known.
    """

    masked_lm: bool = True
    next_sentence: bool = True
    mask_share: float = 0.15
    full_texts_only: bool = False


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """A network over word vectors in the encoder's place; see `core.model.networks`.

    What a kind has no use for, it does not read. Dropout on the text vector is `model.dropout`.

    Attributes:
        kind: "none" for an encoder, or lstm_reg, kim_cnn, xml_cnn, han or sgm.
        vectors: how word vectors start: "random", "encoder" (word pieces of `model.encoder` and
            its embeddings of them), or a file in the text format of word2vec or GloVe.
        vector_size: of random vectors, and of those that `training vectors` writes; those of an
            encoder or a file have a size of their own.
        max_words: most words that are known, the most frequent ones; the encoder's pieces all are.
        min_count: how often a word must occur in the training documents to be known.
        hidden_units: of a recurrent network, in each direction.
        channels: filters of each width of a convolution.
        widths: of the filters, in words.
        bottleneck: units between the pooled filters and the heads of xml_cnn.
        pool: parts of the text over which xml_cnn takes maxima.
        embedding_dropout: share of the words whose vectors are left out of a training step.
        weight_drop: share of the hidden-to-hidden weights that are left out of a training step.
        train_vectors: whether word vectors learn.
    """

    kind: str = "none"
    vectors: str = "random"
    vector_size: int = 300
    max_words: int = 30_000
    min_count: int = 2
    hidden_units: int = 512
    channels: int = 100
    widths: str = "3,4,5"
    bottleneck: int = 512
    pool: int = 8
    embedding_dropout: float = 0.0
    weight_drop: float = 0.0
    train_vectors: bool = True


@dataclass(frozen=True, slots=True)
class DistillConfig:
    """What a student learns from a teacher; see `training.distill`.

    Attributes:
        teacher: folder of a finished run or of a bundle; "" for none.
        weight: λ, of the loss that compares the student with its teacher.
        copies: size of the transfer set in training sets, the original documents counted.
        mask_share: share of the words that are masked in a copy.
        swap_share: share of the words that are swapped for one of the same part of speech.
    """

    teacher: str = ""
    weight: float = 1.0
    copies: int = 1
    mask_share: float = 0.1
    swap_share: float = 0.1
