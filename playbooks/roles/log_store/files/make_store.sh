#!/bin/sh
# Makes the log store. The password is made here, is read by rsyslog alone, and is on no command line.
set -eu
umask 077
file=/etc/clusterwright/secrets/log_store
mkdir -p /etc/clusterwright/secrets
password=$(openssl rand -hex 24)
mysql <<SQL
CREATE DATABASE IF NOT EXISTS logs CHARACTER SET utf8mb4;
CREATE TABLE IF NOT EXISTS logs.lines (
  id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
  received DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  host VARCHAR(255) NOT NULL,
  severity TINYINT NOT NULL,
  tag VARCHAR(255) NOT NULL,
  message TEXT NOT NULL,
  KEY (received),
  KEY (host, received),
  FULLTEXT KEY (message)
) ENGINE = InnoDB;
CREATE OR REPLACE USER rsyslog@localhost IDENTIFIED BY '$password';
GRANT INSERT ON logs.lines TO rsyslog@localhost;
SQL
printf '%s' "$password" >"$file.new"
mv "$file.new" "$file"
