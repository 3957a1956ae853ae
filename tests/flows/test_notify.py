"""Who is notified of what, when, and only once: a real ledger, and a real receiver that takes what apprise sends."""

from __future__ import annotations

import re
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from flows.engine.questions_asked import Asked, Key
from flows.engine.state_folder import state_folder
from flows.notify import notifier
from flows.notify.messages import Message, due_messages
from flows.notify.notifier import Notifier, send_due
from flows.notify.sent_notices import Memory, NoticeKey, remembered, sent_notices
from flows.notify.settings import FILE, read_settings
from flows.notify.wording import inert
from ledger.machine_time import machine_time
from ledger.questions.kept_forecast import KeptForecast, KeptValue
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.work.decisions import finish, start
from ledger.writing import Ledger
from schedule.errors import InputError, UnreachableError
from steps.planning.odds.milestone_odds import Chance, MilestoneOdds
from tests.conftest import project_time_at
from tests.flows.conftest import until
from tests.flows.receiving import Receiver, receiving
from tests.ledger.conftest import T0, Clock, begun, earlier_rules, elsewhere, recorded_by, share, small_plan
from tests.needs import needs_postgres
from tests.postgres_server import EVERYBODY, ON_POSTGRES, Server

SECRET = "hunter2-secret"
RULES = f"""\
addresses:
  leads: {{url: "json://127.0.0.1:9/{SECRET}"}}
  boss: {{env: BOSS_URL}}
rules:
  - {{who: network-lead, to: [leads]}}
  - {{who: pm, to: [boss], of: everybody, kinds: [overdue, ncr], digest: 07:30}}
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


def write(site: Path, text: str) -> None:
    """Write the file as its owner would."""
    path = site / FILE
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)


def rules_to(receiver: Receiver, *paths: str) -> str:
    """Return a file that notifies the network leads at several addresses of a receiver."""
    addresses = "".join(f"  {path}: {{url: '{receiver.url(path)}'}}\n" for path in paths)
    return f"addresses:\n{addresses}rules:\n  - {{who: network-lead, to: [{', '.join(paths)}]}}\n"


@pytest.fixture
def moved(waiting: Path) -> Callable[[int, int], None]:
    """Return a function that keeps a forecast in which go-live is so many days late, as of an event."""

    def keep(days: int, event: int) -> None:
        planned = T0 + timedelta(days=60)
        expected = planned + timedelta(days=days)
        chance = Chance(expected, expected, expected)
        go_live = MilestoneOdds("go-live", planned, expected, chance, chance, chance, 0.5)
        kept = KeptForecast(
            revision=1,
            event=event,
            as_of=T0,
            planned=planned,
            finish=expected,
            unlimited_finish=expected,
            slip_day_usd=0,
            samples=1,
            seed=1,
            milestones=(go_live,),
            critical=(),
            nodes={},
            earned=KeptValue(0, 0, 0, 0, None, None),
        )
        (state_folder(waiting) / "forecast.json").write_bytes(msgspec.json.encode(kept))

    return keep


@pytest.fixture
def waiting(site: Path) -> Path:
    """The small site with one sign-off that waits for the network leads."""
    with Ledger.open(site, clock=Clock()) as ledger:
        start(ledger, "tech", "001@site")
        finish(ledger, "tech", "001@site")
    return site


def due(site: Path, at: datetime, memories: dict[str, Memory] | None = None) -> list[Message]:
    """Return what would be sent at a moment of project time."""
    with open_snapshot(site, at) as snapshot:
        return due_messages(snapshot, read_settings(site), memories or {})


def send(site: Path) -> list[str]:
    """Send what is due on the first day. Return what is said on the terminal."""
    said: list[str] = []
    with project_time_at(T0 + timedelta(hours=1)):
        send_due(site, said.append, threading.Event())
    return said


def test_a_message_says_what_waits_for_whom_and_the_command_that_answers_it(waiting: Path) -> None:
    write(waiting, RULES)

    message = due(waiting, T0 + timedelta(hours=1))[0]

    assert message.address == "leads"
    assert message.title == "Small: Sign-off requested: 001@site"
    assert "since 2026-01-05 09:00; next: Lena Ad (lead) or Leo Zwei (lead2)" in message.body
    assert f"clusterwright sign 001@site --site {waiting}" in message.body


def test_only_the_kinds_of_a_rule_go_to_its_address_and_only_to_whom_they_concern(waiting: Path) -> None:
    """The project manager asks for what is overdue for everybody, and hears nothing of the sign-off before that."""
    write(waiting, RULES.replace(", digest: 07:30", ""))

    first, second = due(waiting, T0 + timedelta(hours=25))

    assert [first.address, second.address] == ["leads", "boss"]
    assert first.body.startswith("Sign-off requested, Overdue: 001@site")
    assert "Overdue: 001@site" in second.body
    write(waiting, RULES.replace("network-lead", "technician").replace(", digest: 07:30", ""))
    assert "001@site, Step" not in "".join(
        one.body for one in due(waiting, T0 + timedelta(hours=25)) if one.address == "leads"
    )


@pytest.mark.parametrize(("hour", "quiet"), [(19, False), (20, True), (23, True), (6, True), (7, False)])
def test_nothing_is_sent_in_the_quiet_hours_and_all_of_it_after_them(waiting: Path, hour: int, quiet: bool) -> None:
    write(waiting, RULES.replace(", digest: 07:30", "") + "quiet_hours: {begin: 20:00, end: 07:00}\n")

    found = due(waiting, datetime(2026, 1, 7, hour, tzinfo=UTC))

    assert (found == []) is quiet


def test_a_digest_comes_once_a_day_after_its_time_and_has_everything(waiting: Path) -> None:
    write(waiting, RULES)
    before, after = (datetime(2026, 1, 6, 7, minute, tzinfo=UTC) for minute in (29, 30))

    assert all("things are open" not in one.title for one in due(waiting, before))
    digest = due(waiting, after)[-1]
    sent = {"boss": Memory(noted=set(digest.keys))}

    assert (digest.address, "things are open on 2026-01-06" in digest.title) == ("boss", True)
    assert "Waiting, sign: 001@site" in digest.body
    assert "Due, order: 001@site#gpu-server" in digest.body
    assert all("open on" not in one.title for one in due(waiting, after + timedelta(hours=9), sent))
    assert "open on 2026-01-07" in due(waiting, after + timedelta(days=1), sent)[-1].title


def test_of_a_rehearsal_nobody_is_notified(tmp_path: Path) -> None:
    """What waits in it waits for nobody."""
    site = tmp_path / "rehearsal"
    with earlier_rules(), begun(site, Clock(), rehearsal=True) as ledger:
        adopt_plan(ledger, "pm", small_plan(), reason="first plan")
        start(ledger, "tech", "001@site")
        finish(ledger, "tech", "001@site")
    write(site, RULES)

    assert due(site, T0 + timedelta(hours=25)) == []


def test_what_people_wrote_is_no_markup_no_link_and_no_mention(site: Path) -> None:
    with Ledger.open(site, clock=Clock()) as ledger:
        start(ledger, "tech", "001@site")
        finish(ledger, "tech", "001@site")
        reject(
            ledger, "lead", "001@site", "@everyone [free](https://evil.example) <https://evil.example|look> <b>now</b>"
        )
    write(site, RULES.replace(", digest: 07:30", ""))

    body = "\n".join(one.body for one in due(site, T0 + timedelta(hours=1)))

    assert "everyone" in body
    assert [mark for mark in ("<", ">", "](", "@everyone") if mark in body] == []
    assert inert("a\nb\x1b[2J 054@pod-003") == "a ⏎ b‹U+001B›[2J 054@pod-003"


def test_a_notice_is_sent_once_also_by_the_next_engine(waiting: Path, receiver: Receiver) -> None:
    write(waiting, rules_to(receiver, "a", "b"))

    send(waiting)
    send(waiting)

    assert [len(receiver.messages(path)) for path in "ab"] == [1, 1]
    assert receiver.messages("a")[0]["title"] == "Small: Sign-off requested: 001@site"
    assert "clusterwright sign 001@site" in receiver.messages("a")[0]["message"]
    kept = state_folder(waiting) / "notified.db"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_delivery_that_failed_is_tried_again_after_pauses_that_grow(
    waiting: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The other address is not held up by it."""
    write(waiting, rules_to(receiver, "a") + "  - {who: network-lead, to: [gone]}\n")
    text = (waiting / FILE).read_text(encoding="utf-8")
    write(waiting, text.replace("rules:", f"  gone: {{url: '{receiver.url('gone')}&+x={SECRET}'}}\nrules:"))
    ahead = timedelta()
    monkeypatch.setattr(notifier, "machine_time", lambda: machine_time() + ahead)
    receiver.answer = 503
    tried = []
    for minutes in (0, 0.5, 1.1, 1.5, 3.2):
        ahead = timedelta(minutes=minutes)
        send(waiting)
        tried.append(len(receiver.messages("gone")))

    receiver.answer = 200
    ahead = timedelta(minutes=9)
    send(waiting)
    send(waiting)

    assert tried == [1, 1, 2, 2, 3]
    assert [len(receiver.messages(path)) for path in ("a", "gone")] == [4, 4]
    assert "address=gone notices=1 failures=3 again_in_s=300 because=the service answered 503" in caplog.text
    assert SECRET not in caplog.text
    assert remembered(waiting)["gone"].failures == 0


def test_what_was_being_sent_when_an_engine_ended_is_not_repeated_and_is_said(
    waiting: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    write(waiting, rules_to(receiver, "a", "b"))
    with sent_notices(waiting) as sent, open_snapshot(waiting, T0 + timedelta(hours=1)) as snapshot:
        assert sent is not None
        first, _ = due_messages(snapshot, read_settings(waiting), {})
        sent.note(first.address, first.keys, first.said)

    send(waiting)

    assert [len(receiver.messages(path)) for path in "ab"] == [0, 1]
    assert "notices_not_known_to_have_arrived address=a notices=1" in caplog.text


def test_an_address_that_cannot_be_used_keeps_no_other_from_its_messages(
    waiting: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    text = rules_to(receiver, "b", "a").replace(f"'{receiver.url('b')}'", f"'nothing://{SECRET}@example'")
    write(waiting, text)

    send(waiting)

    assert len(receiver.messages("a")) == 1
    assert "address=b notices=1 failures=1 again_in_s=60" in caplog.text
    assert SECRET not in caplog.text


def test_two_processes_never_send_at_once(waiting: Path, receiver: Receiver) -> None:
    write(waiting, rules_to(receiver, "a"))
    with sent_notices(waiting):
        send(waiting)
        assert receiver.got == []

    send(waiting)

    assert len(receiver.messages("a")) == 1


def test_the_work_is_not_held_up_by_a_service_that_does_not_answer(waiting: Path, receiver: Receiver) -> None:
    """A look returns while the message is on its way, and those after it begin no second one."""
    write(waiting, rules_to(receiver, "a"))
    receiver.held = {"a"}
    said: list[str] = []
    notifying = Notifier(waiting, said.append, threading.Event())
    with project_time_at(T0 + timedelta(hours=1)), open_snapshot(waiting) as snapshot:
        notifying.look(snapshot)
        until(lambda: receiver.got, seconds=30)
        notifying.look(snapshot)
        assert said == []

        receiver.go_on.set()
        notifying.finish()

    assert len(receiver.got) == 1
    assert said == ["notified a: Small: Sign-off requested: 001@site"]


def test_a_wrong_file_is_said_once_and_without_its_secrets(
    waiting: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        waiting,
        f"addresses: {{a: {{url: 'json://u:{SECRET}@h'}}}}\nrules: [{{who: pm, to: ['json://u:{SECRET}@h']}}]\n",
    )
    monkeypatch.setattr(notifier, "IDLE_S", 0.0)
    said: list[str] = []
    notifying = Notifier(waiting, said.append, threading.Event())
    for _ in range(2):
        with open_snapshot(waiting) as snapshot:
            notifying.look(snapshot)
        notifying.finish()

    assert len(said) == 1
    assert "rules[0].to[0]" in said[0]
    assert SECRET not in said[0] + caplog.text


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (RULES.replace("who: pm", "whom: pm"), ":6: rules[1].whom", "unknown key"),
        (RULES.replace("[overdue, ncr]", "[overdo]"), ":6: rules[1].kinds[0]", "overdo"),
        (RULES.replace("to: [boss]", "to: [bass]"), ":6: rules[1].to[0]", "no address 'bass'"),
        (RULES.replace("{env: BOSS_URL}", "{}"), ":3: addresses.boss", "either `url` or `env`"),
        (RULES + "quiet_hours: {begin: 22:00, end: 08:00}\n", ":6: rules[1].digest", "quiet hours"),
        (RULES + "quiet_hours: {begin: evening, end: 08:00}\n", ":7: quiet_hours.begin", "time"),
        (RULES.replace("who: pm", f"who: 'mailto://u:{SECRET}@h'"), ":6: rules[1].who", "lower-case letters"),
        (RULES.replace("leads: {url", f"'json://u:{SECRET}@h': {{url", 1), ":2: [address]", "lower-case letters"),
        (f"addresses: [json://u:{SECRET}@h\n", "", "YAML"),
    ],
)
def test_a_wrong_file_names_its_place_and_repeats_no_address(site: Path, text: str, place: str, what: str) -> None:
    write(site, text)

    with pytest.raises(InputError) as raised:
        read_settings(site)

    assert place in str(raised.value)
    assert what in str(raised.value)
    assert SECRET not in str(raised.value)


def test_the_file_that_the_docs_show_is_one(site: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "notifications.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    write(site, shown)

    settings = read_settings(site)

    assert list(settings.addresses) == ["ann-mail", "network-chat"]
    assert not settings.is_quiet(datetime(2026, 1, 5, 7, 0, tzinfo=UTC))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_not_used_before_the_command_that_is_named(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "my site"
    folder.mkdir()
    write(folder, RULES)
    (folder / FILE).chmod(mode)

    with pytest.raises(UnreachableError) as refused:
        read_settings(folder)
    command = refused.value.hint.partition(": ")[2]

    subprocess.run(command, shell=True, check=True)
    assert read_settings(folder).rules


def test_a_milestone_that_moved_is_said_again_only_when_it_moves_again(
    waiting: Path, moved: Callable[[int, int], None]
) -> None:
    write(waiting, RULES)
    moved(5, 2)
    (message,) = (one for one in due(waiting, T0 + timedelta(hours=1)) if one.address == "leads")
    assert "Milestone moved: go-live is expected on 2026-03-11, 5 days later than 2026-03-06 as planned" in message.body

    sent = {"leads": Memory(noted=set(message.keys), said=message.said), "boss": Memory()}
    moved(7, 3)
    assert [one.address for one in due(waiting, T0 + timedelta(hours=1), sent)] == ["boss"]
    moved(1, 4)
    back = due(waiting, T0 + timedelta(hours=1), sent)[0]

    assert "go-live is expected on 2026-03-07, 4 days earlier than 2026-03-11 as last said" in back.body
    assert back.keys == (NoticeKey("milestone", "go-live", 4),)


@needs_postgres
def test_of_two_folders_of_one_shared_ledger_the_second_sends_nothing_again(
    tmp_path: Path, postgres: Server, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a notify.yaml and an engine; the first one ends, or both run."""
    monkeypatch.setenv(ON_POSTGRES, "yes")
    site = tmp_path / "site"
    site.mkdir()
    share(site, postgres.url(postgres.database(at_any_time=True), EVERYBODY))
    clock = Clock()
    with earlier_rules(), recorded_by(clock), begun(site, clock) as ledger:
        adopt_plan(ledger, "pm", small_plan(), reason="first plan")
        start(ledger, "tech", "001@site")
        finish(ledger, "tech", "001@site")
    other = elsewhere(site, "other")
    for folder in (site, other):
        write(folder, rules_to(receiver, "leads"))

    assert send(site) == ["notified leads: Small: Sign-off requested: 001@site"]
    assert send(other) == []
    assert len(receiver.got) == 1
    assert remembered(other) == remembered(site) != {}
    asked = Asked(site)
    asked.add(Key("001@site", 1, "release"))
    asked.keep()
    assert Key("001@site", 1, "release") in Asked(other), "the next dispatcher does not ask again"
    with sent_notices(site) as first, sent_notices(other) as second:
        assert first is not None
        assert second is None
