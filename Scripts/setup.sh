#!/bin/sh
# Installs the three C libraries that Grove's backends stand on, where they are missing.
#
# Says nothing and ends with 0 when all are there. Installs them when it may (apt-get as root or through `sudo -n`,
# Homebrew as the user that owns it), otherwise prints the one command to type and ends with 2.
#
#   GROVE_HEADERS   directories, separated by colons, to look for the headers in instead of the machine's own
set -u

refuse() {
    printf '%s\n' "$@" >&2
    exit 2
}

command -v swift >/dev/null 2>&1 || refuse "Grove needs Swift 6.2 or later: https://www.swift.org/install"

# MARK: - What is missing

homebrew() {
    for candidate in "$(command -v brew 2>/dev/null)" /opt/homebrew/bin/brew /usr/local/bin/brew; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            echo "$candidate"
            return
        fi
    done
}

brew=
prefix=
if [ "$(uname -s)" = Darwin ]; then
    brew=$(homebrew)
    [ -z "$brew" ] || prefix=$("$brew" --prefix)
fi

# A C compiler: the system's, or the one that every Swift toolchain brings along.
compiler=
toolchain=$(command -v swift)
toolchain=$(dirname "$(readlink -f "$toolchain" 2>/dev/null || echo "$toolchain")")
for candidate in cc clang "$toolchain/clang"; do
    if printf 'int x;\n' | "$candidate" -x c -fsyntax-only - >/dev/null 2>&1; then
        compiler=$candidate
        break
    fi
done

has() {
    directories=${GROVE_HEADERS-/usr/include:/usr/local/include${prefix:+:$prefix/include}}
    old=$IFS
    IFS=:
    for directory in $directories; do
        if [ -f "$directory/$1" ]; then
            IFS=$old
            return 0
        fi
    done
    IFS=$old
    [ -z "${GROVE_HEADERS-}" ] && [ -n "$compiler" ] &&
        printf '#include <%s>\n' "$1" | "$compiler" ${prefix:+"-I$prefix/include"} -x c -fsyntax-only - 2>/dev/null
}

lacks_lmdb= lacks_sqlite= lacks_leveldb=
has lmdb.h || lacks_lmdb=1
has sqlite3.h || lacks_sqlite=1
has leveldb/c.h || lacks_leveldb=1
[ -n "$lacks_lmdb$lacks_sqlite$lacks_leveldb" ] || exit 0

# MARK: - Installing it

install_debian() {
    packages="${lacks_lmdb:+ liblmdb-dev}${lacks_sqlite:+ libsqlite3-dev}${lacks_leveldb:+ libleveldb-dev}"
    packages=${packages# }
    root=
    if [ "$(id -u)" != 0 ]; then
        if sudo -n true >/dev/null 2>&1; then
            root="sudo -n"
        elif command -v sudo >/dev/null 2>&1; then
            refuse "Grove needs $packages. Type:" "" \
                "    sudo apt-get update && sudo apt-get install -y $packages" ""
        else
            refuse "Grove needs $packages. Type:" "" \
                "    su -c 'apt-get update && apt-get install -y $packages'" ""
        fi
    fi
    echo "Installing $packages" >&2
    log=$(mktemp) || exit 2
    trap 'rm -f "$log"' EXIT
    # The lists of packages are fetched only when those at hand are missing or too old to install from.
    # shellcheck disable=SC2086
    install() { $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages; }
    if ! install >"$log" 2>&1; then
        if ! { $root apt-get update && install; } >"$log" 2>&1; then
            cat "$log" >&2
            refuse "apt-get could not install $packages; its messages are above."
        fi
    fi
}

install_macos() {
    formulas="${lacks_lmdb:+ lmdb}${lacks_sqlite:+ sqlite}${lacks_leveldb:+ leveldb}"
    formulas=${formulas# }
    [ -n "$brew" ] || refuse "Grove needs $formulas. Install Homebrew (https://brew.sh), then type:" "" \
        "    brew install $formulas" ""
    # Homebrew refuses to run as root.
    [ "$(id -u)" != 0 ] || refuse "Grove needs $formulas. Type, not as root:" "" "    brew install $formulas" ""
    echo "Installing $formulas" >&2
    "$brew" install --quiet $formulas >&2 || refuse "Homebrew could not install $formulas; its messages are above."
}

if [ "$(uname -s)" = Darwin ]; then
    install_macos
elif command -v apt-get >/dev/null 2>&1; then
    install_debian
else
    refuse "Grove needs the headers and libraries of LMDB, SQLite and LevelDB (lmdb.h, sqlite3.h, leveldb/c.h)." \
        "Install them with this system's package manager."
fi
