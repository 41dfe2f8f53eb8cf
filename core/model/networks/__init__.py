"""Small networks: each an encoder of one layer, on which the guided classifier puts its heads.

Reading order: `network` (what they share), then the kinds: `lstm_reg`, `convolutional` (KimCNN and
XML-CNN), `han`, and `sgm`, whose labels `label_decoder` and `label_beams` generate.
"""

from __future__ import annotations

from core.errors import ConfigError
from core.model.networks.convolutional import KimCnn, XmlCnn
from core.model.networks.han import Han
from core.model.networks.lstm_reg import LstmReg
from core.model.networks.network import Network, NetworkConfig
from core.model.networks.sgm import SgmEncoder

__all__ = ["NETWORKS", "Network", "NetworkConfig", "build_network", "is_network"]

NETWORKS: dict[str, type[Network]] = {
    "lstm_reg": LstmReg,
    "kim_cnn": KimCnn,
    "xml_cnn": XmlCnn,
    "han": Han,
    "sgm": SgmEncoder,
}
"""Every kind that gives one vector a text."""


def is_network(model_type: str) -> bool:
    """Return whether an encoder of this kind is one of the small networks."""
    return model_type in NETWORKS


def build_network(config: NetworkConfig) -> Network:
    """Return a network with random weights.

    Raises:
        ConfigError: there is no such kind.
    """
    if not is_network(config.model_type):
        kinds = ", ".join(NETWORKS)
        raise ConfigError(f"There is no network “{config.model_type}”; take one of {kinds}.")
    return NETWORKS[config.model_type](config)
