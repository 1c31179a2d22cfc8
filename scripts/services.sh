#!/usr/bin/env bash
# A private PostgreSQL and a private Redis for tests and benchmarks, with their own folder, free ports on 127.0.0.1 and
# their own passwords. They leave nothing behind, and never touch servers that are already running on this machine.
#   services.sh run COMMAND...           start both, run the command with DATABASE_URL and REDIS_URL set, stop both
#   services.sh start FOLDER [PID]       start both, print the two variables; both stop when process PID ends
#   services.sh stop FOLDER              stop both and remove the folder
#   services.sh postgres-folder          print the folder of PostgreSQL's programs (15 or newer), or nothing
# Their data need not survive a power cut, so it is not flushed to disk, except with DURABLE=1, as in production.
set -euo pipefail

fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

postgres_folder() {
    local folder
    for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -t/ -k5,5nr) "$(dirname "$(command -v initdb || echo /none/initdb)")"; do
        [ -x "$folder/initdb" ] || continue
        [ "$("$folder/postgres" --version | grep -oE '[0-9]+' | head -1)" -ge 15 ] && { echo "$folder"; return; }
    done
    return 0
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# PostgreSQL refuses to run as root, so root runs it as the user that its package created.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

start_postgres() {
    local folder=$1 password=$2 bin port attempt durability="-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
    [ -z "${DURABLE:-}" ] || durability=""
    bin=$(postgres_folder)
    [ -n "$bin" ] || fail "PostgreSQL 15 or newer is not installed. On Debian or Ubuntu: sudo apt-get install postgresql"
    mkdir "$folder/postgres"
    printf '%s' "$password" >"$folder/postgres/password"
    # Only its owner may read the password file, and PostgreSQL must reach its own folder below ours.
    chmod 711 "$folder"
    chmod -R go= "$folder/postgres"
    [ "$(id -u)" != 0 ] || chown -R postgres "$folder/postgres"
    as_postgres "$bin/initdb" --pgdata "$folder/postgres/data" --username podium --pwfile "$folder/postgres/password" \
        --auth scram-sha-256 --encoding UTF8 --locale C.UTF-8 --no-sync --no-instructions >"$folder/initdb.log" 2>&1 \
        || { cat "$folder/initdb.log" >&2; fail "initdb failed"; }
    for attempt in 1 2 3; do
        port=$(free_port)
        if as_postgres "$bin/pg_ctl" --pgdata "$folder/postgres/data" --log "$folder/postgres/log" --wait --silent start -o "\
            -c listen_addresses=127.0.0.1 -p $port -c unix_socket_directories=$folder/postgres -c max_connections=60 \
            $durability -c shared_buffers=256MB -c work_mem=32MB \
            -c maintenance_work_mem=256MB -c max_wal_size=4GB" >/dev/null 2>&1 </dev/null; then
            echo "DATABASE_URL=postgres://podium:$password@127.0.0.1:$port/postgres"
            return
        fi
    done
    cat "$folder/postgres/log" >&2
    fail "PostgreSQL did not start"
}

start_redis() {
    local folder=$1 password=$2 port attempt
    command -v redis-server >/dev/null || fail "Redis is not installed. On Debian or Ubuntu: sudo apt-get install redis-server"
    for attempt in 1 2 3; do
        port=$(free_port)
        redis-server --bind 127.0.0.1 --port "$port" --requirepass "$password" --save "" --appendonly no --daemonize yes \
            --dir "$folder" --pidfile "$folder/redis.pid" --logfile "$folder/redis.log" --databases 64 >/dev/null 2>&1 </dev/null || continue
        for _ in $(seq 100); do
            if REDISCLI_AUTH=$password redis-cli -p "$port" ping >/dev/null 2>&1; then
                echo "REDIS_URL=redis://default:$password@127.0.0.1:$port/0"
                return
            fi
            sleep 0.05
        done
    done
    cat "$folder/redis.log" >&2
    fail "Redis did not start"
}

stop() {
    local folder=$1 bin
    bin=$(postgres_folder)
    if [ -f "$folder/redis.pid" ]; then kill "$(cat "$folder/redis.pid")" 2>/dev/null || true; fi
    if [ -f "$folder/postgres/data/postmaster.pid" ]; then
        as_postgres "$bin/pg_ctl" --pgdata "$folder/postgres/data" --mode immediate --silent --wait stop >/dev/null 2>&1 || true
    fi
    rm -rf "$folder"
}

start() {
    local folder=$1 owner=${2:-} password
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    password=$(python3 -c 'import secrets; print(secrets.token_hex(16))')
    start_postgres "$folder" "$password" || { stop "$folder"; exit 1; }
    start_redis "$folder" "$password" || { stop "$folder"; exit 1; }
    if [ -n "$owner" ]; then setsid "$0" watch "$folder" "$owner" >/dev/null 2>&1 </dev/null & fi
}

# Even a killed test run leaves nothing behind.
watch() {
    while kill -0 "$2" 2>/dev/null; do [ -d "$1" ] || return 0; sleep 1; done
    stop "$1"
}

# Not local, because the trap runs after the function has returned.
folder=""
run() {
    local variables status=0
    folder=$(mktemp -d "${TMPDIR:-/tmp}/podium-services.XXXXXX")
    trap 'stop "$folder"' EXIT
    trap 'exit 130' INT TERM
    variables=$(start "$folder" $$)
    env $variables "$@" || status=$?
    return $status
}

case "${1:-}" in
    run) shift; run "$@" ;;
    start) start "${2:?which folder?}" "${3:-}" ;;
    stop) stop "${2:?which folder?}" ;;
    watch) watch "$2" "$3" ;;
    postgres-folder) postgres_folder ;;
    *) fail "usage: services.sh run COMMAND... | start FOLDER [PID] | stop FOLDER" ;;
esac
