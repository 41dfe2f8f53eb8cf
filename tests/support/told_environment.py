"""A worker that says what it knows of its environment."""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__":
    sys.stdout.write(json.dumps(dict(os.environ)))
