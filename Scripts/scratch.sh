#!/bin/sh
# Proves what a client of one backend gets: packages outside this one that depend on a single product each.
#
# GroveMemory must build without any C library, without a warning about one, and fetch no other package; GroveLMDB must
# link liblmdb and no other engine. Where a private mount namespace can be made (Linux, root or user namespaces), the
# headers and the libraries that must not be needed are hidden from the build; elsewhere that part says it is skipped.
#
#   SWIFT   the swift command        FLAGS   flags for `swift build`
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
SWIFT=${SWIFT:-swift}
FLAGS=${FLAGS:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

fail() {
    printf 'scratch: %s\n' "$1" >&2
    [ $# -lt 2 ] || sed 's/^/    /' "$2" >&2
    exit 1
}

# MARK: - Packages

# package NAME PRODUCT STORE: an executable that names one backend's store.
package() {
    mkdir -p "$work/$1/Sources/App"
    cat >"$work/$1/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "$1",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Grove", path: "$root", traits: [])],
    targets: [.executableTarget(name: "App", dependencies: [.product(name: "$2", package: "Grove")])]
)
END
    if grep -rqw "class $3" "$root/Sources/Backends"; then
        printf 'import GroveCache\nimport %s\n\nprint(%s.profile.name)\n' "$2" "$3" >"$work/$1/Sources/App/main.swift"
    else
        printf 'import %s\n\nprint("%s")\n' "$2" "$2" >"$work/$1/Sources/App/main.swift"
    fi
}

# MARK: - Hiding what must not be needed

enter=
if [ "$(uname -s)" = Linux ]; then
    for namespace in "unshare -m" "unshare -rm"; do
        if $namespace true 2>/dev/null; then
            enter=$namespace
            break
        fi
    done
fi

# Headers become an #error; libraries become files that no linker takes, but for SQLite's, which SwiftPM itself runs on.
printf '#error this header is hidden\n' >"$work/hidden"
cat >"$work/hide.sh" <<'END'
set -eu
work=$1
shift
for library in "$@"; do
    case $library in
    lmdb) header=lmdb.h ;;
    sqlite3) header=sqlite3.h ;;
    leveldb) header=leveldb/c.h ;;
    esac
    for file in /usr/include/$header /usr/local/include/$header /usr/lib/*/lib$library.so /usr/lib64/lib$library.so; do
        case $file in
        *libsqlite3.so) continue ;;
        esac
        [ ! -f "$file" ] || mount --bind "$work/hidden" "$(readlink -f "$file")"
    done
    ! printf '#include <%s>\n' "$header" | "${CC:-clang}" -x c -fsyntax-only - 2>/dev/null ||
        { echo "$header is still to be found" >&2; exit 1; }
done
cd "$BUILD_IN"
exec $BUILD
END

# build NAME HIDDEN…: builds the package where the libraries HIDDEN do not exist.
build() {
    name=$1
    shift
    BUILD="$SWIFT build $FLAGS"
    BUILD_IN="$work/$name"
    export BUILD BUILD_IN
    if [ -n "$enter" ]; then
        $enter sh "$work/hide.sh" "$work" "$@" >"$work/$name.log" 2>&1 || fail "$name does not build" "$work/$name.log"
    else
        (cd "$BUILD_IN" && $BUILD) >"$work/$name.log" 2>&1 || fail "$name does not build" "$work/$name.log"
    fi
    ! grep -qi 'warning' "$work/$name.log" || fail "$name builds with a warning" "$work/$name.log"
    [ -z "$(ls "$work/$name/.build/checkouts" 2>/dev/null)" ] || fail "$name fetches $(ls "$work/$name/.build/checkouts")"
}

# MARK: - What was linked and compiled

linked() {
    if [ "$(uname -s)" = Darwin ]; then otool -L "$1"; else ldd "$1"; fi
}

# absent NAME LIBRARY…: the executable links none of these, and calls nothing of theirs.
absent() {
    name=$1
    shift
    program="$work/$name/.build/debug/App"
    linked "$program" >"$work/$name.linked"
    nm "$program" >"$work/$name.symbols" || fail "nm cannot read $program"
    for library in "$@"; do
        ! grep -q "lib$library\." "$work/$name.linked" || fail "$name links lib$library" "$work/$name.linked"
        case $library in
        lmdb) symbols='mdb_env_' ;;
        *) symbols="${library}_" ;;
        esac
        ! grep -qE " U _?$symbols" "$work/$name.symbols" || fail "$name calls lib$library"
    done
}

# uncompiled NAME TARGET…: no object file of these targets was made.
uncompiled() {
    name=$1
    shift
    for target in "$@"; do
        found=$(find "$work/$name/.build/" -path "*/$target.build/*" \( -name '*.o' -o -name '*.swiftmodule' \) | head -n 1)
        [ -z "$found" ] || fail "$name compiles $target"
    done
}

run() {
    "$work/$1/.build/debug/App" >"$work/$1.out" 2>&1 || fail "$1 does not run" "$work/$1.out"
}

package memory GroveMemory MemoryStore
build memory lmdb sqlite3 leveldb
absent memory lmdb sqlite3 leveldb
uncompiled memory GroveLMDB GroveSQLite GroveLevelDB GroveFloor GroveTool
run memory
echo "scratch: GroveMemory alone links no engine, compiles no C, fetches nothing and warns of nothing"

package lmdb GroveLMDB LMDBStore
build lmdb sqlite3 leveldb
absent lmdb sqlite3 leveldb
uncompiled lmdb GroveSQLite GroveLevelDB GroveFloor GroveTool
run lmdb
if grep -q 'LMDBStore' "$work/lmdb/Sources/App/main.swift"; then
    grep -q 'liblmdb\.' "$work/lmdb.linked" || fail "GroveLMDB does not link liblmdb" "$work/lmdb.linked"
    echo "scratch: GroveLMDB alone links liblmdb and no other engine"
else
    echo "scratch: GroveLMDB alone links no other engine (it has no LMDBStore yet)"
fi

if [ -n "$enter" ]; then
    echo "scratch: both were built with the headers and libraries they must not need hidden"
else
    echo "scratch: skipped hiding the headers: this machine makes no private mount namespace"
fi
