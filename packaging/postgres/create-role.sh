#!/bin/sh
# Run once by the PostgreSQL image, on an empty volume: the role of Toolbox owns its database and is no superuser.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$TOOLBOX_DB_PASSWORD" -U postgres -d postgres <<'SQL'
CREATE ROLE toolbox LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE toolbox OWNER toolbox;
SQL
