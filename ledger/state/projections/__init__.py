"""The handlers that turn events into rows, a module for each subject. They are deterministic and read no clock."""
