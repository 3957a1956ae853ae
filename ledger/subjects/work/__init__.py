"""The work of an activity: assigned, started, measured, finished, held, opened again."""
