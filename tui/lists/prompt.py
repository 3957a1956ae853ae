"""One line to type in, for filters: it paints itself and nothing else, so that a list follows every key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from schedule.text import shown_in_line
from tui.looks import palette_of


class Prompt(Widget, can_focus=True):
    """A line with a suggestion behind what is typed. Tab takes it, Enter ends, Escape clears, Up brings back what was typed before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "end", "Show it", show=False, id="prompt.end"),
        Binding("escape", "clear", "Clear", show=False, id="prompt.clear"),
        Binding("tab,right", "take", "Take what is suggested", show=False, id="prompt.take"),
        Binding("backspace", "erase", "Erase", show=False, id="prompt.erase"),
        Binding("ctrl+w", "erase_word", "Erase a word", show=False, id="prompt.erase-word"),
        Binding("ctrl+u", "set('')", "Erase all", show=False, id="prompt.erase-all"),
        Binding("up", "earlier(1)", "Typed before", show=False, id="prompt.earlier"),
        Binding("down", "earlier(-1)", "Typed after", show=False, id="prompt.later"),
    ]
    DEFAULT_CSS = "Prompt { height: 1; }"

    class Typed(Message):
        """The text is another one."""

        def __init__(self, prompt: Prompt) -> None:
            """Take the line."""
            super().__init__()
            self.prompt = prompt

        @property
        def control(self) -> Prompt:
            """The line, by which handlers are chosen."""
            return self.prompt

    class Entered(Typed):
        """Enter was pressed."""

    class Left(Typed):
        """Escape was pressed, after which there is no text."""

    def __init__(self, sign: str, hints: Callable[[], Sequence[str]], *, id: str | None = None) -> None:  # noqa: A002
        """Take the sign in front, and what may be suggested."""
        super().__init__(id=id)
        self.sign = sign
        self.hints = hints
        self.text = ""
        self.note = ""
        """What is said behind the text: how many rows there are, or what is wrong."""
        self.is_wrong = False
        self._history: list[str] = []
        self._back = 0

    @property
    def suggestion(self) -> str:
        """The end of the first hint that begins as the last word does. Empty if there is none."""
        word = self.text.rpartition(" ")[2]
        if not word:
            return ""
        found = (hint for hint in self.hints() if hint.startswith(word) and hint != word)
        return next(found, word)[len(word) :]

    def say(self, note: str, *, is_wrong: bool = False) -> None:
        """Say something behind the text."""
        if (self.note, self.is_wrong) != (note, is_wrong):
            self.note, self.is_wrong = note, is_wrong
            self.refresh()

    def render_line(self, _y: int) -> Strip:
        """Return the only line."""
        width, palette = self.size.width, palette_of(self.app)
        text = shown_in_line(self.text)
        parts = [Segment(f"{self.sign} ", palette["head"]), Segment(text, palette["text"])]
        if self.has_focus:
            parts.append(Segment((self.suggestion or " ")[:1], palette["cursor"]))
            parts.append(Segment(self.suggestion[1:], palette["muted"]))
        note = Segment(f"  {shown_in_line(self.note)}", palette["bad" if self.is_wrong else "muted"])
        line = Strip([*parts, note])
        if line.cell_length > width:
            line = Strip([*line.crop(0, width - 1), Segment("…", note.style)])
        return line.adjust_cell_length(width, palette["text"])

    def on_key(self, event: events.Key) -> None:
        """Add a character."""
        if event.character is not None and event.is_printable:
            event.stop()
            event.prevent_default()
            self.action_set(self.text + event.character)

    def on_paste(self, event: events.Paste) -> None:
        """Add the first line of what is pasted."""
        event.stop()
        self.action_set(self.text + event.text.partition("\n")[0])

    def action_set(self, text: str) -> None:
        """Show another text."""
        self.text = text
        self.refresh()
        self.post_message(self.Typed(self))

    def action_take(self) -> None:
        """Take what is suggested."""
        self.action_set(self.text + self.suggestion)

    def action_erase(self) -> None:
        """Erase the last character."""
        self.action_set(self.text[:-1])

    def action_erase_word(self) -> None:
        """Erase the last word."""
        self.action_set(self.text.rstrip().rpartition(" ")[0])

    def action_clear(self) -> None:
        """Erase all and leave the line."""
        self.text = ""
        self.refresh()
        self.post_message(self.Left(self))

    def action_end(self) -> None:
        """Leave the line as it is."""
        if self.text and self.text not in self._history[-1:]:
            self._history.append(self.text)
        self._back = 0
        self.post_message(self.Entered(self))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Up and Down to the screen until something was typed before: in a choice they move the cursor of its list."""
        return bool(self._history) if action == "earlier" else super().check_action(action, parameters)

    def action_earlier(self, steps: int) -> None:
        """Show what was typed before, or after that."""
        self._back = min(max(self._back + steps, 0), len(self._history))
        self.action_set(self._history[-self._back] if self._back else "")
