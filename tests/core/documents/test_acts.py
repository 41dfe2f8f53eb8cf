"""Acts as they are copied from EUR-Lex: without running heads, with the title of their heading."""

from __future__ import annotations

import pytest

from core.documents.acts import act_title, find_title, without_running_heads
from core.documents.intake import read_pasted, read_text
from core.documents.rows.row_documents import InputDocument, document_of

HEADING = (
    "COMMISSION IMPLEMENTING REGULATION (EU) 2031/417\n"
    "of 11 May 2031\n"
    "on the lighting of reading rooms and repealing Regulation (EC) No 12/2003\n"
    "(Text with EEA relevance)\n"
)
TITLE = (
    "Commission Implementing Regulation (EU) 2031/417 of 11 May 2031 on the lighting of reading "
    "rooms and repealing Regulation (EC) No 12/2003"
)
BODY = "THE EUROPEAN COMMISSION,\nHaving regard to the Treaty,\nArticle 1\nLamps are lit at dusk."
JOURNAL = "Official Journal of the European Union"


@pytest.mark.parametrize(
    "head",
    [
        f"12.5.2031\nEN\n{JOURNAL}\nL 177/32\n",
        f"EN\n{JOURNAL}\nL 177/32\n",
        f"L 177/32 EN {JOURNAL} 12.5.2031\n",
        f"12.5.2031 EN {JOURNAL} L 177/33\n",
        f"12. 5. 91\t{JOURNAL[:-5]}Communities\tNo L 177/32\n",
        f"|\n12.5.2031\n|\nEN\n|\n{JOURNAL}\n|\nC 177 E/32\n",
        f"{JOURNAL}\nEN\nL series\n2031/417\n12.5.2031\n",
        "Official Journal\nof the European Union\nEN\nL series\n2031/417\n12.5.2031\n",
    ],
)
def test_a_running_head_is_neither_text_nor_title(head: str) -> None:
    page = BODY.replace("Article 1", f"{head}Article 1")
    read = read_pasted("", f"{head}{HEADING}{page}")
    assert read.title == TITLE
    assert read.text == f"(Text with EEA relevance)\n{BODY}"
    assert read.notes == ()


def test_the_name_of_the_journal_in_a_sentence_that_is_wrapped_stays() -> None:
    text = "It is published in the\nOfficial Journal of the European Union\nand enters into force."
    assert without_running_heads(text) == text
    text = text.replace("Journal of", "Journal\nof")
    assert without_running_heads(text) == text


def test_the_second_line_of_a_head_begins_none() -> None:
    head = f"{JOURNAL.replace(' of', chr(10) + 'of')}\nEN\nL series"
    treaty = "Having regard to the Treaty on the Functioning\nof the European Union"
    assert without_running_heads(f"{treaty}\n{head}\n(1) Lamps").split("\n") == [
        *treaty.split("\n"),
        "(1) Lamps",
    ]


def test_what_only_looks_like_a_head_stays() -> None:
    table = f"{JOURNAL}\nL 1/1\nOn lamps\nEN\n12.5.2031\nOJ L 177, 12.5.2031, p. 32.\n1/2"
    assert without_running_heads(table).endswith("EN\n12.5.2031\nOJ L 177, 12.5.2031, p. 32.\n1/2")
    assert without_running_heads("Due on\n12.5.2031\nEN") == "Due on\n12.5.2031\nEN"
    cited = f"As published in the {JOURNAL} on 12.5.2031."
    assert without_running_heads(cited) == cited


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "REGULATION (EU) 2031/9 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL\nof 3 June 2031\n\n"
            "laying down rules on lamps\n\nTHE COUNCIL,\n",
            "Regulation (EU) 2031/9 of the European Parliament and of the Council of 3 June 2031 "
            "laying down rules on lamps",
        ),
        (
            "COMMISSION DECISION\nof 2 March 1989\nconcerning lamps in ports\n(89/12/EEC)\nTHE",
            "Commission Decision of 2 March 1989 concerning lamps in ports",
        ),
        (
            "THIRD COUNCIL DIRECTIVE\nof 2 March 1989\nLighting the shelves: a plan\n(89/12/EEC)",
            "Third Council Directive of 2 March 1989 Lighting the shelves: a plan",
        ),
        (
            "DIRECTIVE 2031/7/EU OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL of 1 May 2031\n"
            "on the lamps of readers, on oil for these, and amending Directives 2001/1/EC and\n"
            "Directive 2002/2/EC on wicks\nTHE EUROPEAN PARLIAMENT AND THE COUNCIL,",
            "DIRECTIVE 2031/7/EU OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL of 1 May 2031 on the "
            "lamps of readers, on oil for these, and amending Directives 2001/1/EC and Directive "
            "2002/2/EC on wicks",
        ),
        (
            "PARTNERSHIP AGREEMENT\nbetween the European Union and the Republic of Orlanne\nTHE UNION",
            "Partnership Agreement between the European Union and the Republic of Orlanne",
        ),
        (
            "Corrigendum to Council Directive 2031/7/EU of 1 May 2031 on lamps\n"
            f"(\n{JOURNAL} L 17 of 2 May 2031\n)\nOn page 4",
            "Corrigendum to Council Directive 2031/7/EU of 1 May 2031 on lamps",
        ),
        (
            "Brussels, 3.5.2031\nCOM(2031) 24 final\n\nProposal for a\n\nCOUNCIL DIRECTIVE\n\n"
            "on the lamps of ports\n\nEXPLANATORY MEMORANDUM",
            "Proposal for a Council Directive on the lamps of ports",
        ),
        (
            "Amended proposal for a COUNCIL DECISION\non lamps\n(presented by the Commission)",
            "Amended Proposal for a Council Decision on lamps",
        ),
        (
            "Avis juridique important\n|\n31989D0012\nCommission Decision of 2 March 1989 on lamps in "
            "large ports /* CORRECTED */\nOfficial Journal L 17 , 21/03/1989 P. 0044 - 0046\nFinnish "
            "special edition: Chapter 9 Volume 2 P. 0080\nTHE COMMISSION",
            "Commission Decision of 2 March 1989 on lamps in large ports",
        ),
    ],
)
def test_the_title_stands_in_the_heading(text: str, title: str) -> None:
    found = act_title(text)
    assert found is not None
    assert found.title.lower() == title.lower()
    assert found.title.startswith(title.split()[0].capitalize()[:3]) or title.isupper()
    assert title.split()[-1] not in found.rest.split("\n")[0]


def test_the_menus_of_the_site_are_no_text() -> None:
    menus = "\n".join(["Skip to main content", "My EUR-Lex", "Sign in", *["English"] * 80])
    found = act_title(f"{menus}\n{HEADING}{BODY}")
    assert found is not None
    assert (found.title, found.rest) == (TITLE, f"(Text with EEA relevance)\n{BODY}")


@pytest.mark.parametrize(
    "text",
    [
        "On lamps\nThey are lit at dusk.",
        "Directive 2004/48/EC should read as follows:\nof lamps and oil and wicks",
        "Minutes of a meeting\n" + "We met again.\n" * 20 + HEADING,
        "The decision on lamps was taken in May and is binding on all readers.",
    ],
)
def test_where_there_is_no_heading_the_first_line_is_the_title(text: str) -> None:
    found = find_title(text)
    assert found.is_first_line
    assert found.title == text.split("\n")[0]


def test_files_and_rows_are_read_in_the_same_way() -> None:
    text = f"L 177/32 EN {JOURNAL} 12.5.2031\n{HEADING}{BODY}"
    assert read_text("act.txt", text.replace("\n", "\r\n").encode()).title == TITLE
    row = document_of({"text": text}, default_id=1, where="line 1")
    assert isinstance(row, InputDocument)
    assert (row.document.title, row.is_first_line) == (TITLE, False)
    named = document_of({"title": "Lamps", "text": text}, default_id=1, where="line 1")
    assert isinstance(named, InputDocument)
    assert named.document.text.startswith("COMMISSION IMPLEMENTING")


def test_the_first_recital_stands_for_the_title_of_an_act_without_a_heading() -> None:
    recital = "The lamps of reading rooms are lit at dusk."
    text = (
        "THE COUNCIL OF THE EUROPEAN UNION,\nHaving regard to the Treaty,\n\nWhereas:\n"
        f"(1) {recital}\n(2) Dusk comes early.\nHAS ADOPTED THIS REGULATION:\nArticle 1"
    )
    found = find_title(text)
    assert (found.title, found.rest, found.is_first_line) == (recital, text, True)
    wrapped = text.replace(recital, "The lamps of Article 6(1) thereof\nare lit at dusk.")
    assert find_title(wrapped).title == "The lamps of Article 6(1) thereof are lit at dusk."
    alone = "THE COUNCIL OF THE EUROPEAN UNION,\nHaving regard to the Treaty\non lamps,"
    assert find_title(alone).title == "THE COUNCIL OF THE EUROPEAN UNION,"
    assert find_title("THE EFFECT OF BEES\nThey sting.").title == "THE EFFECT OF BEES"
