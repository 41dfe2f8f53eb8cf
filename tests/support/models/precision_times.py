"""Times in which bf16 is the faster."""

from __future__ import annotations

import torch

BF16_FASTER = {torch.float32: 0.002, torch.bfloat16: 0.001}
