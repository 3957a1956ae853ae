"""Decisions and questions as the commands that they are: the table of actions, forms, and running them."""
