from __future__ import annotations

import pytest

from core.documents.act_numbers import act_number, number_of, proposed_id


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("Regulation (EU) 2018/643 of the European Parliament and of the Council", "32018R0643"),
        ("Commission Implementing Regulation (EU) 2020/1201 of 14 August 2020 as", "32020R1201"),
        ("COMMISSION DELEGATED REGULATION (EU) 2019/6 of 1 July", "32019R0006"),
        ("Regulation (EU, Euratom) 2018/1046 of the European Parliament", "32018R1046"),
        ("Regulation (EU) No 1234/2014 on", "32014R1234"),
        ("Council Regulation (EEC) No 2658/87 on the tariff", "31987R2658"),
        ("Commission Regulation (EC) No 2015/2006 laying down", "32006R2015"),
        ("Council Regulation (EEC) 1408/71", "31971R1408"),
        ("Regulation (EC) No. 2003/2003 relating to fertilisers", "32003R2003"),
        ("Directive 2014/65/EU of the European Parliament and of the Council", "32014L0065"),
        ("Directive (EU) 2016/680 of the European Parliament", "32016L0680"),
        ("Council Directive 85/374/EEC of 25 July 1985", "31985L0374"),
        ("Fourteenth Commission Directive 92/8/EEC", "31992L0008"),
        ("Directive of the European Parliament and of the Council 2031/7/EU", "32031L0007"),
        ("Decision No 1313/2013/EU of the European Parliament", "32013D1313"),
        ("Commission Implementing Decision 2012/784/EU of 13 December", "32012D0784"),
        ("Decision (EU) 2015/1601 establishing", "32015D1601"),
        ("2001/367/EC: Commission Decision of 3 May 2001 amending Decision 2000/96/EC", "32001D0367"),
        ("Council Framework Decision 2002/584/JHA", "32002F0584"),
        ("Council Joint Action 2008/851/CFSP", "32008E0851"),
        ("Commission Recommendation (EU) 2020/1563", "32020H1563"),
        ("Commission Decision of 3 May 2001 amending Decision 2000/96/EC", ""),
        ("Corrigendum to Regulation (EU) 2016/679", ""),
        ("Guidance on Regulation (EU) 2016/679", ""),
        ("Proposal for a Regulation (EU) 2016/679", ""),
        ("Regulation on fish (24/7)", ""),
        ("Regulation (EU) 2018/0", ""),
        ("Regulation No 12345/678", ""),
        ("Discharge summary 2018/643", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_number_of_an_act_is_that_of_its_own_title(title: str, number: str) -> None:
    assert act_number(title) == number


@pytest.mark.parametrize(
    ("document_id", "number"),
    [
        ("32018R0643", "32018R0643"),
        ("celex:32018R0643", "32018R0643"),
        ("32018R0643-2", "32018R0643"),
        ("32018r0643", "32018R0643"),
        ("32016R0679R(02)", "32016R0679R(02)"),
        ("act-12", "32031L0007"),
        ("132018R06431", "32031L0007"),
    ],
)
def test_an_id_that_is_a_number_counts_before_the_title(document_id: str, number: str) -> None:
    assert number_of(document_id, "Directive (EU) 2031/7") == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("32018R0643\nRegulation …", "32018R0643"),
        ("EUR-Lex\nDocument 32018R0643\nHelp", "32018R0643"),
        ("It cites 32018R0643 in passing.", "32031L0007"),
        ("", "32031L0007"),
    ],
)
def test_the_number_above_a_pasted_act_is_proposed_as_its_id(text: str, number: str) -> None:
    assert proposed_id("Directive (EU) 2031/7", text) == number


PROPOSED = "Brussels, 3.5.2031\nCOM(2031) 24 final\n2031/0133 (COD)\nProposal for a\nCOUNCIL DIRECTIVE\non lamps\n"


@pytest.mark.parametrize(
    ("title", "text", "number"),
    [
        ("", PROPOSED, "52031PC0024"),
        (
            "Proposal for a Council Directive on lamps",
            "COM (2031) 1024 final/2\nIt is.",
            "52031PC1024",
        ),
        ("Proposal for a Council Directive on lamps", "Seen COM(2031) 24 final, we say:", ""),
        ("", PROPOSED.replace("Proposal for a", "Report on the"), ""),
    ],
)
def test_a_proposal_has_the_number_of_the_document_of_the_commission(
    title: str, text: str, number: str
) -> None:
    assert proposed_id(title, text) == number
