#!/bin/sh
# Starts a PostgreSQL of its own in a temporary folder, on a socket, and runs the rules for a cache of many machines over it.
#
# Ends with 3 and says so if the server's programs or libpq are not installed and cannot be installed here.
#
#   sh Scripts/shared.sh PROGRAM [measure] [history SECONDS]    the program SharedPostgres, built with the trait Postgres
#   sh Scripts/shared.sh --check              ends with 0 if there is all that is needed, else says what is missing and ends with 3
set -u

find_programs() {
    for folder in "$(pg_config --bindir 2>/dev/null)" /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin; do
        [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && programs=$folder
    done
}

has_header() { ls /usr/include/postgresql/libpq-fe.h /usr/include/libpq-fe.h "$(pg_config --includedir 2>/dev/null)/libpq-fe.h" 2>/dev/null | grep -q .; }

programs=
find_programs
if { [ -z "$programs" ] || ! has_header; } && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing postgresql and libpq-dev" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql libpq-dev >/dev/null 2>&1
    find_programs
fi
if [ -z "$programs" ] || ! has_header; then
    echo "SKIPPED: there is no PostgreSQL server or no libpq here. On Debian: apt-get install postgresql libpq-dev" >&2
    exit 3
fi
[ "${1-}" = --check ] && exit 0

# initdb refuses root.
folder=$(mktemp -d /tmp/grove-shared.XXXXXX) || exit 2
chmod 755 "$folder"
mkdir "$folder/socket"
as=
if [ "$(id -u)" = 0 ]; then
    chown -R nobody "$folder"
    as="runuser -u nobody --"
fi
stop() {
    $as "$programs/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 2
$as "$programs/initdb" -D "$folder/data" -U grove -A trust --no-sync >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 2; }
$as "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/socket/log" \
    -o "-c listen_addresses='' -c unix_socket_directories='$folder/socket' -c max_connections=50" start >/dev/null ||
    { cat "$folder/socket/log" >&2; exit 2; }
program=$1
shift
# A history is of a server that is killed from time to time.
case " $* " in
*" history "*)
    (
        sleep 20
        while sleep 10; do
            $as "$programs/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1
            sleep 1
            $as "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/socket/log" \
                -o "-c listen_addresses='' -c unix_socket_directories='$folder/socket' -c max_connections=50" start >/dev/null
        done
    ) &
    killer=$!
    trap 'kill "$killer" 2>/dev/null; stop' EXIT
    ;;
esac
"$program" "host=$folder/socket user=grove dbname=postgres" "$@"
