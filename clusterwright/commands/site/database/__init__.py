"""Share the ledger through PostgreSQL.

People on several machines then work on one record. A script installs it, another says who may append, and a record that is
there already is moved.

Example:
    clusterwright database sql
    clusterwright database check

"""
