"""The verbs, a module for each kind of user task. Heavy imports stay inside the functions."""
