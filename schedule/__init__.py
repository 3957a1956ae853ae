"""When things happen, in any project: activities, links, calendars and resources in; dates, odds, causes and files out.

The lowest room. It knows nothing of GPUs, sites or the catalog. README.md says what is where.
"""
