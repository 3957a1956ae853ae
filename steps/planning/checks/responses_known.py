"""What a site may do about late orders: only about items that the catalog buys, and that somebody else sells or that come in parts."""

from __future__ import annotations

from collections.abc import Mapping

from schedule.errors import InputError, Place
from schedule.meant import meant
from steps.catalog.loader import Catalog
from steps.catalog.terms import Response
from steps.planning.dates.order_timing import GRANTED_BY

FABRIC = ("leaf-switch", "spine-switch")
"""Items of which a part serves: with three of four spines, or rails, the fabric works at three quarters."""


def refuse_unknown_responses(responses: Mapping[Response, tuple[str, ...]], catalog: Catalog, file: str) -> None:
    """Raise InputError for an item that nothing buys, or about which a response can do nothing."""
    supplies = [supply for entry in catalog.values() for supply in entry.step.supplies]
    suppliers = {supply.item: supply.supplier for supply in supplies}
    for response, items in responses.items():
        for item in items:
            place = Place(file, None, f"responses.{response}")
            if item not in suppliers:
                hint = meant(item, suppliers, "`clusterwright orders` lists items after the #")
                raise InputError(f"no step orders {item!r}", hint=hint, place=place)
            if suppliers[item] in GRANTED_BY:
                hint = "what an authority or a utility grants comes from nobody else"
                raise InputError(f"{response.words} does nothing about {item!r}", hint=hint, place=place)
            if response is Response.PARTIAL_SERVICE and item not in FABRIC:
                hint = f"a part serves only of {' and '.join(FABRIC)}"
                raise InputError(f"{response.words} does nothing about {item!r}", hint=hint, place=place)
