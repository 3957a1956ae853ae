"""The command: settings, verbs, reports and exports."""

__version__ = "0.5.0"
