"""Texts and files of documents that tests share."""

from __future__ import annotations

FRENCH = (
    "Le présent règlement établit les possibilités de pêche pour certains stocks de poissons. "
    "Les navires de moins de dix mètres sont dispensés de l'obligation de débarquement jusqu'à la "
    "fin de l'année, à condition que les quantités rejetées soient déclarées aux autorités. "
)
