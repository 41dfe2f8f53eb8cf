"""Ten acts written for the tests, with the concepts of EuroVoc that an indexer gives them.

The concepts were chosen from the texts, before any suggestion was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexedAct:
    """An act, and the English labels of its concepts."""

    title: str
    text: str
    concepts: frozenset[str]


def _act(title: str, text: str, *concepts: str) -> IndexedAct:
    return IndexedAct(title, " ".join(text.split()), frozenset(concepts))


TEN_ACTS = (
    _act(
        "Regulation on what the label of a jar of honey says",
        """A jar of honey that is sold in a shop names on its label every country in which the bees
        have gathered it, with the share of each. A beekeeper who sells jars at the hive may write
        the name of the village in place of the country. Whoever buys honey is to see before paying
        whether it was heated, filtered or mixed. Member States report each spring how many jars
        they have looked at, and how many labels were wrong.""",
        *("honey", "labelling", "consumer information", "apiculture"),
    ),
    _act(
        "Directive on the noise of lorry tyres",
        """Tyres of lorries and vans are rolled on a test track before they are sold, and the noise
        beside the track is measured at two speeds. A tyre that is louder than the value in the
        annex is not put on the market. The makers of tyres write the value on the side of the
        tyre. The committee on motor vehicles revises the method of measuring every five years.""",
        *("pneumatic tyre", "noise level", "commercial vehicle", "technical standard"),
    ),
    _act(
        "Decision on grants for students who spend a term in another Member State",
        """A student or an apprentice who learns for a term at a school or a firm in another Member
        State may receive a grant for the journey and the rent. The home university counts what was
        passed abroad as if it had been passed at home. Apprentices bring a certificate of the firm
        that names what they have learned. The grant is paid in two parts.""",
        *("student mobility", "education grant", "vocational training", "recognition of diplomas"),
    ),
    _act(
        "Directive on the quality of water at bathing places",
        """At every lake and beach where many people swim, samples of the water are taken once a
        fortnight from May to September and looked at for germs. Where the water may make bathers
        ill, a board at the entrance says so, and the place is closed until two samples are clean.
        Towns that live from visitors publish the results of the season on one page.""",
        *("bathing water", "water quality", "public health", "tourism"),
    ),
    _act(
        "Recommendation on wind turbines at sea and the cables that join them",
        """Wind turbines that stand off the coast are planned together with the cables that bring
        the current to land. Before the first pile is driven, the developer describes what the
        works mean for birds, fish and the sea bed. Two Member States that share a sea agree on
        which parts of it are kept for turbines, so that homes on both coasts are supplied.""",
        *("wind energy", "electricity supply", "environmental impact", "maritime area"),
    ),
    _act(
        "Regulation on what travellers are owed when a flight is late or called off",
        """An airline that calls a flight off, or brings its passengers to their destination more
        than three hours late, pays each of them a sum that depends on the distance. It offers
        meals and, overnight, a room. Nothing is owed where the weather closed the airport. A
        passenger writes to the airline first, and to the national body after two months.""",
        *("passenger rights", "air transport", "indemnification", "airline"),
    ),
    _act(
        "Implementing decision on measures against a fever of pigs in two districts",
        """A fever that kills pigs has been found on farms in two districts. Pigs, and meat of pigs,
        do not leave these districts for forty days. A vet of the authority looks at every farm in
        the zone each week, and takes blood where an animal is ill. Lorries that have carried
        animals are washed and disinfected before they drive on.""",
        *("animal disease", "pigmeat", "health control", "veterinary inspection"),
    ),
    _act(
        "Decision on guarantees for loans to small firms",
        """A bank that lends up to half a million euro to a firm of fewer than fifty people may have
        two thirds of the loan guaranteed by the fund. The firm uses the loan for machines or
        buildings, not to pay older debts. The fund keeps a list of the banks that take part, and
        reports each year how many loans were not paid back.""",
        *("small and medium-sized enterprises", "credit guarantee", "bank", "investment"),
    ),
    _act(
        "Regulation on the hours at the wheel of drivers of lorries and coaches",
        """Whoever drives a lorry or a coach stops for three quarters of an hour after four and a
        half hours at the wheel, and rests for eleven hours within each day. A device in the cab
        records when the vehicle moves. Firms plan the work so that drivers can keep these hours,
        and keep the records for a year. Officers may ask for them at the roadside.""",
        *("working time", "rest period", "road transport", "driving period"),
    ),
    _act(
        "Regulation on the export of paintings and other cultural goods",
        """A painting, a book or a find from the ground that is older than a hundred years leaves
        the Union only with a licence. A museum asks for one licence for an exhibition and all
        that travels with it. Customs officers keep the object where the licence is missing, and
        tell the authority of the Member State in which it belongs to the heritage of the
        country.""",
        *("cultural object", "museum", "export licence", "cultural heritage"),
    ),
)
