"""A forecast of the finish is published."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import AwareDatetime

from ledger.log.payload import Payload
from ledger.rules.access import EVERYBODY_AND_ENGINE, Rows, Rule
from ledger.subjects import again, recording
from ledger.subjects.again import Tables
from steps.stamps import stamp

if TYPE_CHECKING:
    from ledger.log.chain import Event
    from ledger.questions.moment import Moment
    from ledger.state.projection import Handlers, Projection


class ForecastPublished(Payload):
    """A forecast of the finish was published."""

    kind = "forecast.published"
    about = "forecast"
    finish: AwareDatetime
    phases: dict[str, AwareDatetime]
    note: str


ACCESS: Rows = {"publish_forecast": Rule("publish {}", "a forecast", EVERYBODY_AND_ENGINE)}


def forecast_published(
    moment: Moment,
    actor: str,
    finish: datetime,
    *,
    phases: Mapping[str, datetime] | None = None,
    note: str = "",
) -> ForecastPublished:
    """Return a forecast of go-live, and of the finish of phases if `phases` has any."""
    moment.may(actor, "publish_forecast", "a forecast")
    return ForecastPublished(finish=finish, phases=dict(phases or {}), note=note)


AGAIN: Tables = {ForecastPublished: again.about_site(forecast_published)}

publish_forecast = recording.about_site(forecast_published)


def publish(p: Projection, event: Event, payload: ForecastPublished) -> None:
    """Add a published forecast."""
    phases = {phase: stamp(finish) for phase, finish in sorted(payload.phases.items())}
    p.record("forecast", event, payload, phases=json.dumps(phases))


HANDLERS: Handlers = {ForecastPublished: publish}
