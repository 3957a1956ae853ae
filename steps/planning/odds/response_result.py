"""What a response to late orders comes to. Commands that read a kept forecast load this module, and none that draws samples."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResponseResult:
    """A response to late orders of `items`, or all of them together. Prices are US dollars over all samples, also where it is not used.

    Weeks are by how much P50 and P80 of go-live are earlier with it; the other responses are there in both. `unpriced` are items that
    have no price, and are in no sum. `part_days` is for how many days after go-live the fabric is a part, on average over all samples.
    """

    name: str
    items: tuple[str, ...]
    used_share: float
    usd_mean: float
    usd_p80: float
    unpriced: tuple[str, ...]
    weeks_p50: float
    weeks_p80: float
    part_days: float
