#!/bin/sh
# Starts a PostgreSQL of its own in a temporary folder, on a socket, and runs the rules for a cache of many machines over it.
#
# Ends with 3 and says so if the server's programs or libpq are not installed and cannot be installed here.
#
#   sh Scripts/shared.sh PROGRAM [RULE…] [measure] [history SECONDS]    the program SharedPostgres, built with the trait Postgres
#   sh Scripts/shared.sh --check              ends with 0 if there is all that is needed, else says what is missing and ends with 3
set -u

find_programs() {
    for folder in "$(pg_config --bindir 2>/dev/null)" /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin; do
        [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && programs=$folder
    done
}

has_header() { ls /usr/include/postgresql/libpq-fe.h /usr/include/libpq-fe.h "$(pg_config --includedir 2>/dev/null)/libpq-fe.h" 2>/dev/null | grep -q .; }

install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return
    echo "Installing $*" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1
}

programs=
find_programs
if [ -z "$programs" ] || ! has_header; then
    install postgresql libpq-dev
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
# What the program does to the server. Processes that are killed or stopped are this server's only: a postmaster and its children.
cat >"$folder/control" <<END
pid=\$(head -n 1 '$folder/data/postmaster.pid' 2>/dev/null)
# To all of its processes: while it is stopped it has no new ones. Some may have ended by themselves.
send() {
    kill -STOP "\$pid"
    kill "\$1" "\$pid" \$(pgrep -P "\$pid") 2>/dev/null
    :
}
# Where no process reaps others' children, a killed one stays in the table.
lives() { ps -o stat= -p "\${pid:-0}" 2>/dev/null | grep -q '^[^Z]'; }
case \$1 in
start)
    lives && exit 0
    cd '$folder'
    rm -f '$folder/data/postmaster.pid' '$folder'/socket/.s.PGSQL.*.lock
    # A process of the server that was killed may have its memory for a moment yet.
    for second in 1 2 3 4 5 6 7 8 9; do
        $as '$programs/pg_ctl' -D '$folder/data' -w -l '$folder/socket/log' -o "-c listen_addresses='' \\
            -c unix_socket_directories='$folder/socket' -c max_connections=50 -c max_prepared_transactions=2 \${OPTIONS-}" \\
            start >'$folder/started' 2>&1 && exit 0
        sleep 1
    done
    cat '$folder/started' >&2
    exit 1
    ;;
kill)
    lives && send -KILL
    while lives; do sleep 0.01; done
    ;;
freeze) send -STOP ;;
thaw) send -CONT ;;
esac
END
GROVE_SHARED_SERVER=$folder/control
export GROVE_SHARED_SERVER
redis=
stop() {
    [ -z "$redis" ] || kill "$redis" 2>/dev/null
    sh "$folder/control" kill >/dev/null 2>&1
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 2
$as "$programs/initdb" -D "$folder/data" -U grove -A trust --no-sync >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 2; }
program=$1
shift
case " $* " in
*" measure "*)
    # What is measured beside it; without it those lines are left out.
    command -v redis-server >/dev/null 2>&1 || install redis-server
    if command -v redis-server >/dev/null 2>&1; then
        GROVE_SHARED_REDIS=$folder/redis.sock
        export GROVE_SHARED_REDIS
        redis-server --port 0 --unixsocket "$GROVE_SHARED_REDIS" --save '' --dir "$folder" >/dev/null &
        redis=$!
    else
        echo "SKIPPED: there is no redis-server here: nothing is measured beside it." >&2
    fi
    ;;
*)
    # Killed processes leave what they wrote to the system; only a machine that stops needs more.
    OPTIONS='-c fsync=off'
    export OPTIONS
    ;;
esac
sh "$folder/control" start || { cat "$folder/socket/log" >&2; exit 2; }
"$program" "host=$folder/socket user=grove dbname=postgres" "$@"
