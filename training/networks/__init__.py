"""The baselines of the papers that read word vectors, as encoders of one layer.

Reading order: `convolutional` (KimCNN and XML-CNN), `han`, and SGM: `sgm` (its encoder),
`label_decoder`, `label_beams`, `sequence_generator` (the classifier). `core.model.networks` has
LSTM_reg, which can be served, and what all of them share.
"""

from __future__ import annotations

from core.model.networks import NETWORKS as SERVED
from core.model.networks import Network
from training.networks.convolutional import KimCnn, XmlCnn
from training.networks.han import Han
from training.networks.sgm import SgmEncoder

__all__ = ["NETWORKS", "SERVED"]

NETWORKS: dict[str, type[Network]] = {
    **SERVED,
    "kim_cnn": KimCnn,
    "xml_cnn": XmlCnn,
    "han": Han,
    "sgm": SgmEncoder,
}
"""Every kind that gives one vector a text; those of `SERVED` can be made a bundle."""
