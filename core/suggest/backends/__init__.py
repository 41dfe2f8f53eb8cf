"""What computes a model's logits: `protocol` says what is asked of a back-end, `torch` is one.

A further back-end is a file here and a line in `core.suggest.registry`.
"""

import sys

# OpenVINO counts how its converter is used and sends that. Without this module it takes a stub: a
# program that reads patients' notes sends nothing, whatever was once agreed to on this machine.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
