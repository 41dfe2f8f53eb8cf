"""CELEX numbers, ELIs and addresses, and where the act is asked for."""

from __future__ import annotations

import pytest

from core.documents.fetching.addresses import wanted_act
from core.documents.fetching.policy import FetchPolicy
from core.errors import DocumentError

BOTH = FetchPolicy(("eur-lex.europa.eu", "publications.europa.eu"))
HTML = "https://eur-lex.europa.eu/legal-content/{}/TXT/HTML/?uri=CELEX:{}"


@pytest.mark.parametrize(
    "number",
    ["32019R1020", "02013R0575-20230628", "32019R1020R(01)", "62019CJ0123", "12012E/TXT"],
)
def test_a_celex_number_is_asked_of_eur_lex_and_then_of_the_cellar(number: str) -> None:
    wanted = wanted_act(f" celex: {number.lower()} ", "de", BOTH)
    assert (wanted.name, wanted.language, wanted.is_numbered) == (number, "de", True)
    assert wanted.addresses == (
        HTML.format("DE", number),
        f"https://publications.europa.eu/resource/celex/{number}",
    )


@pytest.mark.parametrize(
    ("line", "name", "address"),
    [
        (
            "https://eur-lex.europa.eu/legal-content/FR/TXT/?uri=celex%3A32019R1020&qid=1",
            "32019R1020",
            HTML.format("FR", "32019R1020"),
        ),
        (
            "https://eur-lex.europa.eu/legal-content/FR/TXT/PDF/?uri=CELEX:32019R1020",
            "32019R1020",
            "https://eur-lex.europa.eu/legal-content/FR/TXT/PDF/?uri=CELEX:32019R1020",
        ),
        (
            "http://data.europa.eu/eli/reg_impl/2013/575/oj",
            "32013R0575",
            "https://eur-lex.europa.eu/eli/reg_impl/2013/575/oj/deu",
        ),
        (
            "https://eur-lex.europa.eu/eli/dir/2014/89/oj/fra",
            "32014L0089",
            "https://eur-lex.europa.eu/eli/dir/2014/89/oj/fra",
        ),
        (
            "https://eur-lex.europa.eu/homepage.html",
            "https://eur-lex.europa.eu/homepage.html",
            "https://eur-lex.europa.eu/homepage.html",
        ),
    ],
)
def test_addresses_keep_their_language_and_give_the_number(
    line: str, name: str, address: str
) -> None:
    wanted = wanted_act(line, "de", BOTH)
    assert (wanted.name, wanted.addresses[0]) == (name, address)


@pytest.mark.parametrize("line", ["market surveillance", "2019/1020", "32019R", "x" * 3000])
def test_what_is_neither_number_nor_address_is_said_to_be_neither(line: str) -> None:
    with pytest.raises(DocumentError, match="neither a CELEX number"):
        wanted_act(line, "en", BOTH)


@pytest.mark.parametrize("line", ["32019R1020", "http://data.europa.eu/eli/reg/2013/575/oj"])
def test_without_eur_lex_among_the_hosts_it_is_not_asked(line: str) -> None:
    with pytest.raises(DocumentError, match=r"allowed: acts\.example"):
        wanted_act(line, "en", FetchPolicy(("acts.example",)))
