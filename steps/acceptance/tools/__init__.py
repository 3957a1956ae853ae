"""One module a tool: its output, as a playbook hands it over, into metrics. Each ends in the `TOOL`s it reads."""
