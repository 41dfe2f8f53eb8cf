"""The command that a run notes."""

from __future__ import annotations

COMMAND = "python -m training train mine/run.toml"
