"""What a new user types wrong: each line is answered with what is wrong and what to type, with the right exit code. Nothing is recorded."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from ledger.questions.site import head
from ledger.reading import open_snapshot
from tests import commands
from tests.conftest import SECOND_DAY, project_time_at
from tests.once import Once

WORK = (
    "start 071@site --as operator",
    "start 036@site --as operator",
    "start H08@pod-001 --as operator --out-of-sequence 'the crew was free'",
    "measure H08@pod-001 rack.bond_resistance 5 ohm --source 'Megger 4' --item hall-1/row-02/rack-01 --as operator",
    "order 001@site#gpu-server --supplier 'Fjord Servers' --reference PO-1 --as operator --out-of-sequence 'a frame contract'",
)
"""What makes a site in mid-build."""

NOT_SATISFIED, BAD_INPUT, WAITS = 1, 2, 4

MISTAKES = (
    # what is no command
    ("stauts", BAD_INPUT, "no command 'stauts'", "clusterwright status"),
    ("version", BAD_INPUT, "clusterwright --version"),
    ("help", BAD_INPUT, "clusterwright COMMAND --help"),
    ("approve 071@site", BAD_INPUT, "did you mean `clusterwright sign`?"),
    ("report monthly", BAD_INPUT, "report has no verb 'monthly'", "`clusterwright report week`"),
    ("report --json", BAD_INPUT, "the verb is missing", "`clusterwright report week`"),
    ("ncr --json", BAD_INPUT, "the verb is missing", "`clusterwright ncr list`"),
    ("plan dif", BAD_INPUT, "plan has no verb 'dif'", "`clusterwright plan diff`"),
    ("check H08@pod-001", BAD_INPUT, "The verb comes first", "clusterwright check list H08@pod-001"),
    # options
    ("status --sit x", BAD_INPUT, "no option --sit", "did you mean --site?"),
    ("list --late", BAD_INPUT, "--late: needs a value", "--late past-planned-finish"),
    ("list --state ready ready", BAD_INPUT, "'ready' is too much", "--search ready"),
    ("list pod-001", BAD_INPUT, "'pod-001' is too much", "--unit"),
    ("orders 001@site#gpu-server", BAD_INPUT, "is too much", "clusterwright show '001@site#gpu-server'"),
    ("forecast publish", BAD_INPUT, "it is an option: --publish"),
    ("next --limit -1", BAD_INPUT, "--limit", "greater than or equal to 1"),
    ("log --limit 0", BAD_INPUT, "--limit", "greater than or equal to 1"),
    ("reject 071@site --as owner", BAD_INPUT, "--reason is missing", "for example: clusterwright reject"),
    ("start --as operator", BAD_INPUT, "ACTIVITY is missing", "for example: clusterwright start 034@pod-001"),
    ("order 084@site#rack-pdu --as operator", BAD_INPUT, "who delivers is missing", "--supplier"),
    ("order 084@site#rack-pdu --supplier X --as operator", BAD_INPUT, "number of the purchase order", "--reference"),
    ("comment H08@pod-001 --as operator", BAD_INPUT, "TEXT is missing"),
    ("impact 001@site#gpu-server --days five", BAD_INPUT, "--days", "for example: clusterwright impact"),
    # ids
    ("show pod-001", BAD_INPUT, "'pod-001' is a unit", "clusterwright list --unit pod-001"),
    ("show owner", BAD_INPUT, "'owner' is a person", "clusterwright inbox --as owner"),
    ("show NCR-0001", BAD_INPUT, "is a non-conformance", "clusterwright ncr show NCR-0001"),
    ("show h08@pod-1", BAD_INPUT, "did you mean H08@pod-001?"),
    ("show 001@site#gpu-servr", BAD_INPUT, "no order '001@site#gpu-servr'", "001@site#gpu-server"),
    ("why golive", BAD_INPUT, "did you mean 195@site (Go live)?"),
    ("why benchmark", BAD_INPUT, "did you mean 189@site (Benchmark"),
    ("why 999", BAD_INPUT, "no activity '999'", "clusterwright list --search"),
    ("log H99@site", BAD_INPUT, "no activity 'H99@site'"),
    ("start 001@site#gpu-server --as operator", BAD_INPUT, "is an order, not an activity"),
    ("order 045@site --supplier X --reference P --as operator", BAD_INPUT, "no order '045@site'", "045@site#"),
    ("receive 001@site#gpu-server --as operator", BAD_INPUT, "no delivery", "001@site#gpu-server/1"),
    ("orders --history 001@site#gpu", BAD_INPUT, "no order '001@site#gpu'", "001@site#gpu-server"),
    ("ncr show NCR-9", BAD_INPUT, "no non-conformance 'NCR-9'", "clusterwright ncr list"),
    ("catalog show 34", BAD_INPUT, "did you mean 034?"),
    ("catalog show H08@pod-001", BAD_INPUT, "did you mean H08?"),
    ("catalog show burn", BAD_INPUT, "did you mean 0"),
    # names
    ("list --state redy", BAD_INPUT, "'redy' is no state", "ready"),
    ("list --phase pwoer", BAD_INPUT, "'pwoer' is no phase", "power"),
    ("next --phase pwr", BAD_INPUT, "'pwr' is no phase", "power"),
    ("catalog list --phase pwr", BAD_INPUT, "'pwr' is no phase", "power"),
    ("list --role riggers", BAD_INPUT, "'riggers' is no role", "rigger"),
    ("list --unit pod-1", BAD_INPUT, "'pod-1' is no unit", "pod-001"),
    ("list --organisation Fjord-Server", BAD_INPUT, "is no organisation", "did you mean Fjord Servers?"),
    ("orders --organisation 'Fiord Servers'", BAD_INPUT, "is no organisation", "did you mean Fjord Servers?"),
    ("list --week next", BAD_INPUT, "'next' is no week", "2027-W05"),
    ("whatif --crew riger+1", BAD_INPUT, "no crew of the plan is 'riger'", "did you mean rigger?"),
    ("start H08@pod-001 --as rigger", BAD_INPUT, "nobody at this site is called 'rigger'", "operator"),
    ("assign H08@pod-001 operator --as owner", BAD_INPUT, "to whom?", "--to PERSON"),
    ("attach H08@pod-001 --file site.yaml --kind anchor-torqe --as operator", BAD_INPUT, "did you mean anchor-torque?"),
    ("attach H08@pod-001 --file none.jpg --kind anchor-torque --as operator", BAD_INPUT, "none.jpg cannot be read"),
    # values
    ("measure -5", BAD_INPUT, "METRIC is missing", "for example: clusterwright measure"),
    ("measure H08@pod-001 rack.bond 5 ohm --source x --as operator", BAD_INPUT, "criteria: ", "rack.bond_resistance"),
    ("measure H08@pod-001 rack.bond_resistance 5 mOhm --source x --as operator", BAD_INPUT, "write it in ohm"),
    ("measure H08@pod-001 rack.bond_resistance 0,5 ohm --source x --as operator", BAD_INPUT, "write 0.5"),
    ("progress H08@pod-001 --percent 40% --as operator", BAD_INPUT, "--percent", "--percent 40"),
    ("progress H08@pod-001 --percent -5 --as operator", BAD_INPUT, "between 0 and 100, not -5"),
    ("progress H08@pod-001 --percent nan --as operator", BAD_INPUT, "between 0 and 100"),
    ("promise 001@site#gpu-server --on 2027-13-01 --reason x --as operator", BAD_INPUT, "is not a date", "2026-11-21"),
    ("receive 001@site#gpu-server/1 --quantity -4 --unscanned x --as operator", BAD_INPUT, "a quantity cannot be -4"),
    ("status --as-of tomorrow", BAD_INPUT, "'tomorrow' is neither"),
    # what comes first
    ("progress 141@site --percent 5 --as operator", NOT_SATISFIED, "first: clusterwright start 141@site"),
    ("finish 141@site --as operator", NOT_SATISFIED, "141@site"),
    ("start H09@pod-001 --as operator", NOT_SATISFIED, "it waits for", "clusterwright why 'H09@pod-001'"),
    ("sign H08@pod-001 --as owner", NOT_SATISFIED, "H08@pod-001"),
    ("order 001@site#gpu-server --supplier X --reference P --as operator", NOT_SATISFIED, "was placed on"),
    # nobody is there to answer
    ("plan adopt --baseline B1 --reason x --as owner", WAITS, "asks before it goes on", "--yes"),
    ("break-glass 071@site --reason x --as owner", WAITS, "asks before it goes on", "--yes"),
    ("redact operator --reason x --as owner", WAITS, "asks before it goes on", "--yes"),
)


@pytest.fixture(scope="module")
def mid_build(once: Once, adopted_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A site on its second day, with work begun, an order placed and a reading that failed."""

    def make(folder: Path) -> None:
        shutil.copytree(adopted_once, folder)
        with project_time_at(SECOND_DAY - timedelta(hours=1)):  # another worker's clock may be seconds behind
            for line in WORK:
                done = commands.called([*shlex.split(line), "--site", folder])
                assert done.returncode == 0, (line, done.stderr)

    site = tmp_path_factory.mktemp("mistakes") / "site"
    shutil.copytree(once("mid-build", make), site)
    with project_time_at(SECOND_DAY):
        yield site


@pytest.mark.parametrize(("line", "code", "said"), [(line, code, said) for line, code, *said in MISTAKES])
def test_a_mistake_is_answered_with_what_to_type(mid_build: Path, line: str, code: int, said: list[str]) -> None:
    before = _events(mid_build)

    result = commands.called(shlex.split(line), cwd=mid_build)

    text = " ".join(result.stderr.split())
    assert (result.returncode, "Traceback" in text) == (code, False), text
    assert all(words in text for words in said), text
    assert _events(mid_build) == before, "a mistake records nothing"


def _events(site: Path) -> int:
    with open_snapshot(site) as snapshot:
        return head(snapshot).seq


@pytest.mark.parametrize("verb", ["show", "why"])
@pytest.mark.parametrize(("short", "whole"), [("195", "195@site"), ("H08", "H08@pod-001"), ("12", "012@site")])
def test_a_step_that_is_done_once_is_named_by_its_number(mid_build: Path, verb: str, short: str, whole: str) -> None:
    answers = [commands.called([verb, name, "--json", "--site", mid_build]) for name in (short, whole)]

    assert answers[0].stdout == answers[1].stdout
    assert [answer.returncode for answer in answers] == [0, 0]


def test_an_order_and_its_delivery_are_shown_whole(mid_build: Path) -> None:
    order, delivery = (commands.called(["show", name, "--site", mid_build]).stdout for name in SUPPLIES)

    assert "Fjord Servers · PO-1" in order
    assert "delivery 001@site#gpu-server/1: 32 servers, need by " in order
    assert "operator: placed" in order
    assert "to be received: clusterwright receive '001@site#gpu-server/1'" in delivery


SUPPLIES = ("001@site#gpu-server", "001@site#gpu-server/1")


def test_negative_numbers_are_values(mid_build: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(mid_build, site)

    read = commands.called(
        [*shlex.split("measure H08@pod-001 rack.bond_resistance -5 mohm --source x --as operator"), "--site", site]
    )
    noted = commands.called([*shlex.split("comment H08@pod-001 -5 --as operator"), "--site", site])

    assert (read.returncode, noted.returncode) == (0, 0), read.stderr + noted.stderr
    assert "= -5 mohm" in read.stderr


def test_a_reading_that_fails_says_what_it_opened(mid_build: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(mid_build, site)
    measured = "measure H08@pod-001 rack.bond_resistance {} ohm --source x --item hall-1/row-02/rack-0{} --as operator"

    again, other = (
        commands.called([*shlex.split(measured.format(*given)), "--site", site]).stderr for given in ((6, 1), (7, 2))
    )

    assert "it fails, and belongs to NCR-0001, which is open" in again
    assert "it opened NCR-0002, class" in other


def test_the_version_is_said() -> None:
    assert commands.called(["--version"]).stdout.startswith("clusterwright 0.")
