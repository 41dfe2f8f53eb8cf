"""`python -m core erase`: the text of a document, or the names of a person, for good."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option, Typer

from core.commands.options import PLAIN, open_store
from core.review.erasure import (
    SAYS_WHERE,
    erasable,
    erase_document,
    erase_expired,
    erase_person,
    scrub,
)
from core.review.people.accounts import find_account

app = Typer(help=f"Erase for good; decisions and figures stay. {SAYS_WHERE}", **PLAIN)
Sure = Annotated[bool, Option("--sure", help="erase it; without this, say what would go")]


@app.command()
def document(
    document_id: Annotated[str, Argument(metavar="ID", help="of the document")],
    *,
    sure: Sure = False,
) -> None:
    """Erase text, title, comment, stay and proposed terms of a document; its id, too."""
    with open_store() as store:
        found = erasable(store, document_id)
        print(
            f"{document_id}: {found.n_characters:,} characters would go for good; "
            f"{found.n_events:,} decision steps stay. {SAYS_WHERE}"
            if not sure
            else f"Erased: {document_id} is {erase_document(store, document_id)} now. {SAYS_WHERE}"
        )


@app.command()
def person(
    name: Annotated[str, Argument(metavar="NAME", help="with which they sign in")],
    *,
    sure: Sure = False,
) -> None:
    """Erase names, password, roles and preferences of a person; their decisions stay."""
    with open_store() as store:
        shown = find_account(store, name).shown
        print(
            f"{shown} would be called by a number for good, and sign in no more. {SAYS_WHERE}"
            if not sure
            else f"Erased: {name} is called {erase_person(store, name)} now. {SAYS_WHERE}"
        )


@app.command()
def expired() -> None:
    """Erase the documents that their projects keep no longer, as a server does once a day."""
    with open_store() as store:
        n_erased = erase_expired(store)
        scrub(store)
        print(f"Erased: {n_erased:,} documents. {SAYS_WHERE}")


@app.command()
def traces() -> None:
    """Write the database anew without what was deleted in it; the server has to be stopped."""
    with open_store() as store:
        scrub(store)
        print("The database has no traces of what was erased.")
