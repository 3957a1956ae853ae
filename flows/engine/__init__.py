"""The engine: what can be done, by whom, and when; one embedded in a process."""
