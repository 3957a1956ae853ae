"""Whose approval sets the time, and sign-offs that nobody can give: found from policies and people, before any work waits for one."""

from __future__ import annotations

from typing import Literal, NamedTuple

import pytest
from msgspec.structs import replace

from steps.catalog.terms import Kind
from steps.planning.activity import PlanActivity
from steps.planning.checks.approvers import SHOWN, by_one_account, in_short, one_account_in_short, unsignable
from steps.planning.dates.approvals import approver_of
from tests.ledger.conftest import small_plan

LEAD, OTHER, CREW = "network-lead", "sponsor", "cabling-technician"


class Someone(NamedTuple):
    """A person with roles."""

    id: str
    roles: tuple[str, ...]
    account: str | None = None


def work(
    number: int,
    roles: tuple[str, ...] = (LEAD,),
    *,
    quorum: int = 1,
    separation: Literal["performer-may-not-approve", "none"] = "performer-may-not-approve",
    kind: Kind = Kind.FIELD,
    applicable: bool = True,
) -> PlanActivity:
    some = next(one for one in small_plan().activities if one.kind is Kind.FIELD)
    policy = replace(some.policy, roles=roles, quorum=quorum, needed="always", separation=separation)
    return replace(some, id=f"{number:03}@site", policy=policy, role=CREW, kind=kind, applicable=applicable)


def said(activities: list[PlanActivity], *people: Someone) -> list[str]:
    return in_short(unsignable(activities, people))


def test_of_those_whose_approval_is_needed_the_slowest_of_the_fastest_sets_the_time() -> None:
    hours = {"slow": 8.0, "fast": 2.0, "slowest": 40.0}

    waited = [approver_of(work(1, tuple(hours), quorum=quorum), hours) for quorum in (1, 2, 3)]

    assert waited == ["fast", "slow", "slowest"]


def test_a_role_that_nobody_has_is_named_with_how_many_sign_offs_wait_for_it() -> None:
    found = said([work(1), work(2), work(3, (OTHER,))], Someone("ana", (CREW,)), Someone("bo", (OTHER,)))

    assert found == ["role network-lead: nobody has it; 2 sign-offs wait for that (001@site first)"]


def test_a_sign_off_that_needs_more_people_than_have_its_roles() -> None:
    people = Someone("ana", (LEAD, OTHER)), Someone("bo", (CREW,))

    assert said([work(1, (LEAD, OTHER), quorum=2)], *people) == [
        "roles network-lead, sponsor: 1 sign-off needs 2 people, and only ana has one of them (001@site)"
    ]


def test_work_whose_only_approver_is_the_one_who_does_it() -> None:
    ana = Someone("ana", (LEAD, CREW))

    assert said([work(1)], ana) == [
        "role network-lead: only ana can give 1 sign-off, and who does the work may not approve it (001@site)"
    ]
    assert said([work(1)], ana, Someone("bo", (CREW,))) == [], "bo can do it, and ana approves"
    assert said([work(1)], ana, Someone("bo", (LEAD,))) == []


@pytest.mark.parametrize(
    "one",
    [
        work(1, separation="none"),
        work(1, kind=Kind.GATE),
        work(1, kind=Kind.AUTOMATE),
        work(1, applicable=False),
    ],
    ids=["not separate", "gate", "software", "not applicable"],
)
def test_who_has_the_role_can_sign_for_work_that_is_not_theirs(one: PlanActivity) -> None:
    """A policy may not separate duties; nobody performs a gate; software does its own work; what does not apply needs nobody."""
    assert said([one], Someone("ana", (LEAD, CREW))) == []


def test_the_reasons_that_concern_most_come_first_and_the_others_are_counted() -> None:
    roles = [f"role-{number}" for number in range(SHOWN + 2)]
    activities = [work(n, (role,)) for n, role in enumerate(roles)] + [work(90, (roles[-1],)), work(91, (roles[-1],))]

    found = said(activities)

    assert found[0].startswith(f"role {roles[-1]}: nobody has it; 3 sign-offs")
    assert len(found) == SHOWN + 1
    assert found[-1].startswith("2 more reasons why nobody can sign")


def test_two_signatures_that_one_account_can_give_are_named() -> None:
    """Also where another account may do something else. With an account of their own the second person is a second one."""
    asked = [work(1), work(2, (LEAD, OTHER), quorum=2), work(3, (LEAD, OTHER), quorum=2, applicable=False)]
    ana, bo, crew = Someone("ana", (LEAD,), "root"), Someone("bo", (OTHER,), "root"), Someone("cy", (CREW,), "cy")

    assert by_one_account(asked, [ana, bo, crew]) == ["002@site"]
    assert "002@site asks for signatures of several people" in one_account_in_short(["002@site"])
    assert by_one_account(asked, [ana, bo._replace(account="bo"), crew]) == []
    assert by_one_account(asked, [ana._replace(account=None), bo._replace(account=None)]) == []
    by_key = replace(asked[1], policy=replace(asked[1].policy, assurance="signed"))
    assert by_one_account([by_key], [ana, bo, crew]) == []
