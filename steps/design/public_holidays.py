"""Public holidays of countries and their parts, as the package `holidays` knows them.

A plan keeps the days, so that another version of the package changes no plan that exists. The package takes a tenth of a second to
import, and as long for the days of a plan: what it says is kept for its version.
"""

from __future__ import annotations

import re
from datetime import date
from importlib.metadata import version
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from schedule.errors import InputError
from steps.catalog.kept import kept

IN_QUOTES = 'write the code in quotes, as "NO" for Norway: without them YAML reads yes or no'
NONE = "none"
BY_HAND = "write `public_holidays: none` under `calendar` in site.yaml, and the days under `holidays`"
CODE = re.compile(r"[A-Z]{2}(-.+)?")


def _in_quotes(value: Any) -> Any:
    """Refuse true and false: YAML reads `NO` without quotes as false."""
    if isinstance(value, bool):
        raise ValueError(IN_QUOTES)  # noqa: TRY004  Pydantic collects values errors only
    return value


def _known(value: Any) -> Any:
    """Return the region of a site file, or None for `none`. Raise ValueError for one of which no holidays are known."""
    value = _in_quotes(value)
    if value is None or value == NONE:
        return None
    if not isinstance(value, str) or not CODE.fullmatch(value):
        raise ValueError("a country is two letters, as US, and a part of it follows a dash, as US-TN")
    country, _, part = value.partition("-")
    parts = _parts().get(country)
    if parts is None:
        raise ValueError(f"of the country {country!r} no public holidays are known")
    if part and part not in parts:
        known = f"the parts are {', '.join(parts)}" if parts else "it has no parts with holidays of their own"
        raise ValueError(f"of {country} no part {part!r} is known: {known}")
    return value


def _parts() -> dict[str, list[str]]:
    """Return the known countries, each with those of its parts that have holidays of their own."""

    def listed() -> dict[str, list[str]]:
        from holidays import list_supported_countries  # see above

        return list_supported_countries()

    return kept("countries", (version("holidays"),), listed)


Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$"), BeforeValidator(_in_quotes)]
"""A country of ISO 3166, in two letters."""

Region = Annotated[str | None, BeforeValidator(_known)]
"""A country, as US, or a part of it, as US-TN: whose public holidays are days off. None for none."""


def are_known(country: str) -> bool:
    """Return whether the public holidays of a country are known."""
    return country in _parts()


def public_holidays(region: str, first: int, last: int) -> tuple[date, ...]:
    """Return the public holidays of a region in the years from `first` to `last`, in order.

    Raise InputError if they are not known, or not until then.
    """
    country, _, part = region.partition("-")
    if not are_known(country):
        raise InputError(f"of the country {country!r} no public holidays are known", hint=BY_HAND)

    def found() -> tuple[date, ...]:
        from holidays import country_holidays  # see above

        days = country_holidays(country, subdiv=part or None, years=range(first, last + 1))
        if last > days.end_year:
            raise InputError(
                f"the public holidays of {region} are known until {days.end_year}, and the plan's calendar goes until {last}",
                hint=BY_HAND,
            )
        return tuple(sorted(days))

    return kept(f"holidays-{country}-{first}-{last}", (version("holidays"), region, first, last), found)
