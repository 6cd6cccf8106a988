#!/bin/sh
# Checks what the compiler says where an engine's header is absent: one sentence that names the remedy.
#
# The shims of Sources/CLibraries are compiled without the system's directories for headers, as if for Linux, macOS and iOS.
# That is the preprocessor's part alone: no SDK of Apple's is needed, and none is tried.
set -eu
cd "$(dirname "$0")/.."
toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
compiler=
for candidate in clang "$toolchain/clang" cc; do
    if printf 'int x;\n' | "$candidate" -x c -E - >/dev/null 2>&1; then compiler=$candidate && break; fi
done
[ -n "$compiler" ] || { echo "headers: there is no C compiler" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/linux" "$work/macos" "$work/ios"
printf '#define TARGET_OS_OSX 1\n' >"$work/macos/TargetConditionals.h"
printf '#define TARGET_OS_OSX 0\n' >"$work/ios/TargetConditionals.h"
mkdir -p "$work/linux/sys" && : >"$work/linux/sys/stat.h"
cp -R "$work/linux/sys" "$work/macos" && cp -R "$work/linux/sys" "$work/ios"

# says MODULE SYSTEM TEXT…: the only error begins with the backend's name and has each text.
says() {
    module=$1
    system=$2
    shift 2
    define=-U__APPLE__
    [ "$system" = linux ] || define=-D__APPLE__
    if "$compiler" -E -nostdinc "$define" -I "$work/$system" -x c "Sources/CLibraries/C$module/shim.h" \
        >/dev/null 2>"$work/said"; then
        echo "headers: C$module compiles on $system without its header" >&2
        exit 1
    fi
    grep -i 'error:' "$work/said" >"$work/errors"
    [ "$(wc -l <"$work/errors")" -eq 1 ] || { cat "$work/said" >&2; echo "headers: not one error" >&2; exit 1; }
    for text in "Grove$module" "$@"; do
        grep -qF -- "$text" "$work/errors" ||
            { cat "$work/errors" >&2; echo "headers: C$module on $system does not say: $text" >&2; exit 1; }
    done
}

says LMDB linux 'apt-get install liblmdb-dev' 'depend on GroveSQLite'
says LMDB macos 'brew install lmdb' 'depend on GroveSQLite'
says LMDB ios 'Depend on GroveSQLite'
says LevelDB linux 'apt-get install libleveldb-dev' 'depend on GroveSQLite'
says LevelDB macos 'brew install leveldb' 'depend on GroveSQLite'
says LevelDB ios 'Depend on GroveSQLite'
says SQLite linux 'apt-get install libsqlite3-dev'
says SQLite ios "Apple's SDKs"
echo "headers: without a header, each of the three engines is one sentence that says what to do"
