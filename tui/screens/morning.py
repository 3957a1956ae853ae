"""What a manager looks at first."""

from tui.screens.steps import StepsScreen as MorningScreen

__all__ = ["MorningScreen"]
