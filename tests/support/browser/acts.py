"""Four acts written for the tests, about what the fake vocabulary has concepts for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Act:
    """A short act as a person would paste or upload it."""

    name: str
    title: str
    text: str


HERRING = Act(
    "herring",
    "Regulation on the fishing quota for herring in the Northern Bay",
    """Whereas the stock of herring in the Northern Bay has shrunk for three years;

Whereas scientists advise that a lower catch limit lets the herring recover;

Article 1
Subject

This Regulation fixes the fishing quota for herring, and how each vessel reports its catch.

Article 2
Catch limit

1. The fishing quota for herring is 4,200 tonnes a year, shared among the harbours of the bay.

2. A vessel that has caught its share of herring goes home. What it catches after that day counts against its share of the next year.

Article 3
Sea fish landed with herring

Other sea fish in the same net may be landed if they weigh less than a tenth of the herring.

Article 4
Reports

The master writes the weight of the herring into the log before the vessel reaches the harbour.

ANNEX

Harbours and their shares of the fishing quota: Easthaven 1,900 tonnes, Mole Point 1,300 tonnes, Saltwick 1,000 tonnes.""",
)

TICKETS = Act(
    "tickets",
    "Decision on one travel ticket for rail transport across three regions",
    """Whereas people who change trains at a border buy a second train ticket, and often miss the train while they do so;

Article 1
One ticket

From 1 March a travel ticket bought in one region is good for rail transport in all three.

Article 2
High-speed train

1. On a high-speed train the travel ticket is good with a supplement, which is the same in all regions.

2. The railway that runs the high-speed train tells the price of the supplement before the journey.

Article 3
Sharing the receipts

The railway that sells the train ticket keeps four per cent of its price. The rest is shared by the distance that each railway carries the passenger.

Article 4
Delay

Whoever arrives more than an hour late gets half the price of the travel ticket back, from the railway that sold it.""",
)

HONEY = Act(
    "honey",
    "Directive on the labelling of honey",
    """Whereas a buyer of honey wants to know where the bees flew;

Article 1
Food label

1. The food label of a jar of honey names every country in which the honey was gathered, with its share.

2. The labelling of food that contains honey names the honey where it is more than a fifth of the weight.

Article 2
Words that are kept for honey

Only what bees have made may be called honey. A syrup is no bee product, whatever its colour.

Article 3
Blends

Where honey of several countries is blended, the label says so on the front, in letters no smaller than the word honey.

Article 4
Checks

An office in each country buys honey without saying who it is, and tests it.""",
)

SOLE = Act(
    "sole",
    "Notice on sole and other sea fish at the fish auction of Saltwick",
    """The auction opens at five in the morning from Monday to Friday.

Article 1
Lots

Sole is sold in lots of 20 kilograms, sorted by length. A sole shorter than 24 centimetres is not sold.

Article 2
Food label

Every lot of sea fish carries a food label with the name of the fish, the vessel, and the day on which it was caught.

Article 3
Ice

Sea fish lies on ice from the vessel to the buyer. Sole that is warmer than two degrees is taken out of the auction.""",
)

ACTS = (HERRING, TICKETS, HONEY, SOLE)
