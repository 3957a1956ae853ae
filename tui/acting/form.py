"""The form of a command: its fields with their help, errors at the field, what would be refused, and the line that it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Checkbox, Input, Label, Static

from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError
from steps.amount import first_of
from tui.acting.asked import Asked
from tui.acting.before import BEFORE, BeforeAnswer
from tui.acting.command import Field, as_typed
from tui.acting.paths import PathSuggester
from tui.acting.running import Done, Running
from tui.acting.suggestions import suggestions
from tui.leaving import is_open
from tui.looks import safe, safe_lines

if TYPE_CHECKING:
    from tui.app import ClusterwrightApp

NAMED = 6
"""How many subjects, and how many refusals, a form names."""


class Tick(Checkbox, inherit_bindings=False):
    """A box with a sign in it where it is ticked, and without one where it is not: else only its colour said which.

    Space ticks it. Enter is the form's, as in every field.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_button", "Tick", show=False)]

    def render(self) -> Content:
        """Return the box."""
        self.BUTTON_INNER = "X" if self.value else " "
        return super().render()


class Form(ModalScreen[Done | None]):
    """Asks for the fields of a command and runs it. It returns how the command ended, or None where the person goes back."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (36, "-tall")]  # noqa: RUF012  as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="form.leave"),
        Binding("ctrl+s,enter", "record", "Do it", id="form.record"),
        Binding("ctrl+y", "copy", "Copy the command", id="form.copy"),
        Binding("pagedown", "read_on(1)", "Read on", show=False, id="form.read-on"),
        Binding("pageup", "read_on(-1)", "Read back", show=False, id="form.read-back"),
        Binding("f2", "before", "What it would do", id="form.before"),
        # Before what has the focus sees them: else what is typed at once behind them goes to the field that is left.
        Binding("tab", "app.focus_next", "Next field", id="form.next", priority=True),
        Binding("shift+tab", "app.focus_previous", "Field before", id="form.previous", priority=True),
    ]

    def __init__(self, asked: Asked) -> None:
        """Take the command and what it is about."""
        super().__init__()
        self.asked = asked
        self.subjects = list(asked.subjects)
        self.offered: Mapping[str, Sequence[str]] = {}
        """The values that are known, by the names of fields."""

        self.running: Running | None = None

    @property
    def owner(self) -> ClusterwrightApp:
        """The application, by its own type."""
        return cast("ClusterwrightApp", self.app)

    def compose(self) -> ComposeResult:
        """Paint the question, a line for each field, the command and the keys."""
        command = self.asked.command
        with Vertical():
            yield Static(safe(command.about), id="about")
            yield Static("", id="subjects")
            before = (Static("", id="refused", classes="wrong"), Static("", id="warned"))
            yield VerticalScroll(*before, classes="long", can_focus=False)
            with VerticalScroll(id="fields", can_focus=False):
                for field in command.fields:
                    yield from self._field(field)
            yield Static("", id="help", classes="hint")
            yield Static("", id="line")
            yield VerticalScroll(Static("", id="said", classes="wrong"), classes="long", can_focus=False)
            if command.name in BEFORE:
                yield BeforeAnswer(self.owner.site.running)
            asks = "F2 impact first · " if command.name in BEFORE else ""
            yield Static(f"Enter does it · {asks}Tab next · Ctrl+Y copies the command · Esc goes back", classes="hint")

    def _field(self, field: Field) -> ComposeResult:
        value = self.asked.values.get(field.name, field.default)
        with Horizontal():
            yield Label(safe(_title(field)), classes="needed" if field.required else "")
            if field.flag:
                yield Tick("", value=bool(value), id=f"field-{field.name}", compact=True)
            else:
                needed = "needed" if field.required else "may be left out"
                files = PathSuggester(self.owner.site.folder) if field.is_file else None
                hint = field.metavar or needed
                yield Input(value, placeholder=hint, id=f"field-{field.name}", suggester=files, compact=True)
            yield Static("", id=f"wrong-{field.name}", classes="wrong")

    def on_descendant_focus(self) -> None:
        """Say what the field under the cursor is for, and which values are known."""
        here = (self.focused.id or "") if self.focused else ""
        for field in self.asked.command.fields:
            if here == f"field-{field.name}":
                known = self.offered.get(field.name, ())
                more = f" Known: {first_of(known, NAMED)}." if known else ""
                self.query_one("#help", Static).update(safe(f"{field.about}{more}"))

    def on_mount(self) -> None:
        """Say what it is about, and ask what would be refused."""
        fields = self.asked.command.fields
        first = next((field for field in fields if field.required), next(iter(fields), None))
        if first is not None:
            self.set_focus(self.query_one(f"#field-{first.name}"))
        self.owner.let_keys_through()
        self.show()
        self.ask_ledger()

    @work(thread=True, group="form")
    def ask_ledger(self) -> None:
        """Ask why the decision would be refused, and which values fields may have."""
        with self.owner.saying():
            refused = self.asked.refusals()
            warned = self.asked.warnings()
            offered = suggestions(self.owner.site.folder, self.asked.command.fields, self.subjects)
            self.app.call_from_thread(self.offer, refused, warned, offered)

    def offer(self, refused: Mapping[str, str], warned: Sequence[str], offered: Mapping[str, Sequence[str]]) -> None:
        """Show refusals and warnings, and offer values."""
        if not is_open(self):
            return
        warnings = self.query_one("#warned", Static)
        warnings.display = bool(warned)
        warnings.update(safe_lines(f"! {said}" for said in named(warned)))
        lines = [why if why.startswith(name) else f"{name}: {why}" for name, why in list(refused.items())[:NAMED]]
        head = (
            [f"{len(refused)} of {len(self.subjects)} would be refused:"] if len(self.subjects) > 1 and refused else []
        )
        more = [f"and {len(refused) - NAMED} more"] if len(refused) > NAMED else []
        self.query_one("#refused", Static).update(safe_lines([*head, *lines, *more]))
        self.offered = offered
        self.on_descendant_focus()
        for name, values in offered.items():
            self.query_one(f"#field-{name}", Input).suggester = SuggestFromList(values, case_sensitive=False)

    @property
    def values(self) -> dict[str, str]:
        """What is typed, by the names of the fields."""
        found = {}
        for field in self.asked.command.fields:
            widget = self.query_one(f"#field-{field.name}")
            found[field.name] = widget.value.strip() if isinstance(widget, Input) else _ticked(cast("Checkbox", widget))
        return found

    @property
    def words(self) -> list[str]:
        """What is typed after `clusterwright`. What is a default is left out."""
        defaults = {field.name: field.default for field in self.asked.command.fields}
        given = {name: value for name, value in self.values.items() if value != defaults[name]}
        return self.asked.command.words(self.subjects, given)

    @property
    def line(self) -> str:
        """The command as a person would type it. Empty while a quote is not closed."""
        try:
            return as_typed(self.words)
        except ValueError:
            return ""

    @on(Input.Changed)
    @on(Checkbox.Changed)
    def show(self) -> None:
        """Show the command as it is typed now, and take away what was wrong with what has changed."""
        names = ", ".join(self.subjects[:NAMED])
        more = f" and {len(self.subjects) - NAMED} more" if len(self.subjects) > NAMED else ""
        subjects = self.query_one("#subjects", Static)
        subjects.display = bool(self.subjects)
        subjects.update(safe(f"{names}{more}"))
        self.query_one("#line", Static).update(safe(f"$ {self.line}"))
        for field in self.asked.command.fields:
            if not field.wrong(self.values[field.name]):
                self.query_one(f"#wrong-{field.name}", Static).update("")

    @on(Input.Submitted)
    def action_record(self) -> None:
        """Run the command if no field is wrong; else go to the first that is."""
        if self.running is not None:
            return
        values = self.values
        wrong = {field.name: field.wrong(values[field.name]) for field in self.asked.command.fields}
        wrong = {name: why for name, why in wrong.items() if why}
        for name, why in wrong.items():
            self.query_one(f"#wrong-{name}", Static).update(safe(why))
        if wrong:
            self.query_one(f"#field-{next(iter(wrong))}").focus()
            return
        words = self.words
        if self.asked.take is not None:
            self.asked.take(words)
            self.action_leave()
        elif self.asked.answers:
            self.action_leave()
            self.owner.show_answer(words)
        else:
            self.run_it()

    @work(group="form")
    async def run_it(self) -> None:
        """Run the command, and close the form where it did what it was asked for."""
        said = self.query_one("#said", Static)
        said.update("at work… Esc stops it")
        self.running = self.owner.site.running(self.words)
        done = await self.running.done()
        self.running = None
        if done.is_done:
            self.dismiss(done)
            return
        refused = [name for name in self.subjects if f"{name}: not " in done.talk]
        self.subjects = refused or self.subjects
        self.show()
        self.query_one("#refused", Static).update("")  # what was refused says the same, below
        self.owner.clear_notifications()  # one that is shown covers it
        said.update(safe_lines((done.talk or done.answer).splitlines()))

    def action_before(self) -> None:
        """Ask what it would do with what is typed."""
        if self.asked.command.name in BEFORE and not self._is_asking():
            self.ask_before(self.values)

    @work(thread=True, group="form")
    def ask_before(self, values: Mapping[str, str]) -> None:
        """Work out the question, then run it."""
        question, answer = BEFORE[self.asked.command.name], self.query_one(BeforeAnswer)
        try:
            with open_snapshot(self.owner.site.folder) as snapshot:
                words = question(snapshot, next(iter(self.subjects), ""), values)
        except ClusterwrightError as error:
            self.app.call_from_thread(answer.say, [error.what, error.hint] if error.hint else [error.what])
            return
        self.app.call_from_thread(answer.ask, words)

    def _is_asking(self) -> bool:
        return any(answer.running is not None for answer in self.query(BeforeAnswer))

    def action_read_on(self, pages: int) -> None:
        """Show more of what is refused, where it is longer than its place."""
        for long in self.query(".long").results(VerticalScroll):
            long.scroll_relative(y=pages * long.size.height, animate=False)

    def action_copy(self) -> None:
        """Copy the command."""
        line = self.line
        self.app.copy_to_clipboard(line)
        self.notify("copied" if line else "a quote is not closed")

    def action_leave(self) -> None:
        """Stop what runs; else go back. What was typed is there again when the form is opened for the same."""
        if self.running is not None:
            self.running.stop()
            return
        if self._is_asking():
            self.query_one(BeforeAnswer).stop()
            return
        self.owner.keep_draft(self.asked, self.values)
        self.dismiss(None)


def named(said: Sequence[str]) -> list[str]:
    """Return the first of what is to be said, and how many more there are."""
    return [*said[:NAMED], *([f"and so for {len(said) - NAMED} more"] if len(said) > NAMED else [])]


def _title(field: Field) -> str:
    return field.option or field.metavar.strip("[]") or field.name


def _ticked(box: Checkbox) -> str:
    return "yes" if box.value else ""
