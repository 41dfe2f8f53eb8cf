"""A project of Annif, asked in its own environment, as a peer in benchmarks."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError

_SERVE = """
import json, os, sys
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # where libraries write what they do
import annif, annif.registry
from annif.corpus import Document
app = annif.create_flask_app()
with app.app_context():
    project = annif.registry.get_project(sys.argv[1])
    project.initialize()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        documents = [Document(text=text) for text in json.loads(line)]
        found = list(project.suggest(documents))
        print(len(found), file=answers, flush=True)
"""


@contextmanager
def annif_project(
    python: Path, folder: Path, project: str
) -> Iterator[Callable[[Sequence[Document]], int]]:
    """Keep a trained project loaded in a process of Annif's own interpreter.

    Args:
        python: the interpreter where Annif is installed.
        folder: where `projects.cfg` and `data` are.
        project: its id.
    Yields:
        What has subjects suggested for documents, and returns for how many it had them.
    Raises:
        ConfigError: Annif does not start, or has no such project.
    """
    command = [str(python), "-c", _SERVE, project]
    with tempfile.TemporaryFile("w+") as said:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )
        except OSError as error:
            raise ConfigError(f"{python} is no interpreter of Annif ({error}).") from error
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            asked, answered = process.stdin, process.stdout
            if answered.readline() != "ready\n":
                process.communicate()
                said.seek(0)
                last = next(iter(said.read().strip().splitlines()[::-1]), "it says nothing")
                raise ConfigError(f"Annif cannot open the project {project} in {folder}: {last}")

            def suggest(documents: Sequence[Document]) -> int:
                texts = [f"{document.title}\n{document.text}" for document in documents]
                asked.write(json.dumps(texts) + "\n")
                asked.flush()
                return int(answered.readline())

            try:
                yield suggest
            finally:
                process.kill()
