"""Small networks that are served: each an encoder of one layer, on which the classifier puts its heads.

Reading order: `network` (what all share), `lstm_reg`. The laboratory has more (`training.networks`).
"""

from __future__ import annotations

from collections.abc import Mapping

from core.errors import ConfigError
from core.model.networks.lstm_reg import LstmReg
from core.model.networks.network import Network, NetworkConfig

__all__ = ["NETWORKS", "LstmReg", "Network", "NetworkConfig", "build_network", "is_network"]

NETWORKS: dict[str, type[Network]] = {"lstm_reg": LstmReg}
"""Kind -> network."""


def is_network(model_type: str) -> bool:
    """Return whether an encoder of this kind is one of the small networks."""
    return model_type in NETWORKS


def build_network(
    config: NetworkConfig, networks: Mapping[str, type[Network]] = NETWORKS
) -> Network:
    """Return a network with random weights.

    Args:
        networks: by kind.
    Raises:
        ConfigError: there is no such kind.
    """
    if config.model_type not in networks:
        kinds = ", ".join(networks)
        raise ConfigError(f"There is no network “{config.model_type}”; take one of {kinds}.")
    return networks[config.model_type](config)
