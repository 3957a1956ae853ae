"""Schedules as other programs have them: one neutral value, written to and read from MSPDI, PMXML, XER and tables.

Times are wall-clock times of the site without an offset, as in those files. docs/how-to/interchange.md says what each form carries.
"""
