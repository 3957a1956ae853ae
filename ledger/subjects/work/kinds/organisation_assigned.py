"""An activity or an order is assigned to an organisation, whose people then report on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.log.payload import Payload
from ledger.questions.orders import require_order
from ledger.questions.people import organisations
from ledger.rules.access import BUYING, Rows, Rule
from ledger.rules.permission import same_organisation
from ledger.rules.subjects import is_supply
from ledger.subjects import again, recording
from ledger.subjects.again import Tables

if TYPE_CHECKING:
    from ledger.log.chain import Event
    from ledger.questions.moment import Moment
    from ledger.state.projection import Handlers, Projection


class OrganisationAssigned(Payload):
    """An activity or an order was assigned to an organisation. An empty name ends the assignment."""

    kind = "organisation.assigned"
    organisation: str


ACCESS: Rows = {"assign_organisation": Rule("assign {} to an organisation", "an activity or an order", BUYING)}


def organisation_assigned(moment: Moment, actor: str, subject: str, organisation: str) -> OrganisationAssigned:
    """Return the assignment of an activity or an order to an organisation. An empty name ends the assignment.

    An activity is assigned only to an organisation that has people in the plan, in the site's spelling. A supplier of an order
    needs none.
    """
    moment.may(actor, "assign_organisation", subject)
    named = organisation.strip()
    if is_supply(subject):
        require_order(moment.snapshot, subject)
    else:
        moment.case(subject, actor)
        named = named and same_organisation(named, organisations(moment.snapshot))
    return OrganisationAssigned(organisation=named)


AGAIN: Tables = {OrganisationAssigned: again.about_supply(organisation_assigned)}

assign_organisation = recording.about_supply(organisation_assigned)


def assign(p: Projection, event: Event, payload: OrganisationAssigned) -> None:
    """Assign an activity or an order to an organisation. The activity's earlier assignee no longer has it."""
    if is_supply(event.subject):
        p.update("order_line", event.subject, organisation=payload.organisation)
    else:
        p.change(p.activity(event.subject), organisation=payload.organisation, assignee=None)


HANDLERS: Handlers = {OrganisationAssigned: assign}
