"""Where the log is: in a file of the site's folder, or in PostgreSQL with a copy in each folder."""
