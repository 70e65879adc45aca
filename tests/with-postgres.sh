#!/usr/bin/env bash
# Runs a command beside a PostgreSQL server of its own: a fresh cluster in a temporary folder, a free port, removed at
# the end. TOOLBOX_TEST_POSTGRES names it for the command, with the role that makes and migrates databases: it owns them and
# is no superuser, for whom row-level security would not hold. TOOLBOX_TEST_POSTGRES_APP names the role that serves: it owns
# nothing. TOOLBOX_TEST_POSTGRES_SUPERUSER is a superuser, for the stories about that. `DURABLE=1` keeps fsync on, as measurements need it.
set -euo pipefail

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
[ -n "$bin" ] || bin=$(dirname "$(command -v initdb || true)")
if [ ! -x "$bin/initdb" ] || [ ! -x "$bin/postgres" ]; then
  echo "PostgreSQL's server is not installed. Type: sudo apt-get install -y postgresql" >&2
  exit 1
fi

home=$(mktemp -d "${TMPDIR:-/tmp}/toolbox-pg.XXXXXX")
as_server() { "$@"; }
if [ "$(id -u)" = 0 ]; then
  # PostgreSQL refuses to run as root.
  chown postgres "$home"
  chmod 755 "$home"
  as_server() { (cd "$home" && setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups "$@"); }
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' 2>/dev/null || echo $((20000 + RANDOM % 20000)))

stop() {
  as_server "$bin/pg_ctl" -D "$home/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$home"
}
trap stop EXIT

as_server "$bin/initdb" -D "$home/data" -U postgres -A trust -E UTF8 --locale=C >/dev/null
# Most statements of a story run a few times: each connection plans them once.
durable=(-c jit=off -c plan_cache_mode=force_generic_plan -c fsync=off -c synchronous_commit=off -c full_page_writes=off)
[ -n "${DURABLE:-}" ] && durable=()
as_server "$bin/pg_ctl" -D "$home/data" -l "$home/log" -w -t 60 \
  -o "-p $port -k $home -c listen_addresses=127.0.0.1 -c max_connections=300 ${durable[*]:-}" start >/dev/null || {
  cat "$home/log" >&2
  exit 1
}
# It may end others' work in a database that it drops: autovacuum looks in at any time.
as_server "$bin/psql" -q -h 127.0.0.1 -p "$port" -U postgres -d postgres \
  -c "CREATE ROLE toolbox LOGIN CREATEDB IN ROLE pg_signal_backend" -c "CREATE ROLE toolbox_app LOGIN"
export TOOLBOX_TEST_POSTGRES_SUPERUSER="postgres://postgres@127.0.0.1:$port/postgres"
export TOOLBOX_TEST_POSTGRES="postgres://toolbox@127.0.0.1:$port/postgres"
export TOOLBOX_TEST_POSTGRES_APP="postgres://toolbox_app@127.0.0.1:$port/postgres"
"$@"
