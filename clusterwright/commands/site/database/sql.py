"""Print the script that installs a log in a database.

A superuser pipes it into psql.

Example:
    clusterwright database sql

"""

from ledger.stores.installing import install_sql


def sql() -> None:
    print(install_sql(), end="")
