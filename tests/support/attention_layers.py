"""Attention of two layers, by hand."""

from __future__ import annotations

from dataclasses import replace

import torch

from training.studies.attention_measures import Meter, Utilization


def two_layers() -> Utilization:
    """Two layers of two heads that nothing is wrong with."""
    meter = Meter("cls")
    one, other = [0.7, 0.2, 0.1], [0.1, 0.3, 0.6]
    attention = torch.tensor([[one, other], [[0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]]).unsqueeze(2)
    meter.update(torch.tensor([[1.0, 0.0], [0.0, 2.0]]), attention)
    return replace(meter.compute(), name="by hand", about={"split": "dev"})
