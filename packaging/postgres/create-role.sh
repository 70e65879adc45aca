#!/bin/sh
# Run once by the PostgreSQL image, on an empty volume. `toolbox_owner` owns the database and its tables, and migrates;
# `toolbox` serves and owns nothing. Neither is a superuser. The migrations grant `toolbox` its rights.
set -eu
psql -v ON_ERROR_STOP=1 -v owner_password="$TOOLBOX_OWNER_PASSWORD" -v password="$TOOLBOX_DB_PASSWORD" \
  -U postgres -d postgres <<'SQL'
CREATE ROLE toolbox_owner LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'owner_password';
CREATE ROLE toolbox LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE toolbox OWNER toolbox_owner;
SQL
