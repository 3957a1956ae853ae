"""A ledger that people share through PostgreSQL: the log of events there, and a copy of it in each site's folder."""
