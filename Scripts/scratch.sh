#!/bin/sh
# Proves what an application that depends on Grove gets: packages outside this one, which depend on it by a URL.
#
# The URL is that of a clone made for the occasion, with a tag: SwiftPM treats such a dependency differently from one by
# path, and takes what is committed. So this builds HEAD, and not the changes in the working copy. Every package is
# built by both of SwiftPM's build systems.
#
# GroveMemory must build without any C library, without a warning about one, and fetch no other package. GroveLMDB,
# GroveSQLite and GroveLevelDB must each link their engine and no other. Grove with GroveMacros fetches swift-syntax
# alone. Where a private mount namespace can be made (Linux, root or user namespaces), the headers and the libraries
# that must not be needed are hidden from the build; elsewhere that part says it is skipped.
#
#   SWIFT   the swift command        FLAGS   flags for `swift build`
#   SYSTEMS the build systems, native and swiftbuild by default
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
SWIFT=${SWIFT:-swift}
FLAGS=${FLAGS:-}
SYSTEMS=${SYSTEMS:-native swiftbuild}
# Clients build without it.
unset GROVE_DEVELOPMENT
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

fail() {
    printf 'scratch: %s\n' "$1" >&2
    [ $# -lt 2 ] || sed 's/^/    /' "$2" >&2
    exit 1
}

git clone -q --bare "$root" "$work/grove.git" || fail "$root cannot be cloned: this needs a clone made by git"
git -C "$work/grove.git" tag -f 0.1.0 HEAD >/dev/null
[ -z "$(git -C "$root" status --porcelain)" ] ||
    echo "scratch: builds the last commit; what changed since then is not in it: commit it first"

# MARK: - Packages

# package NAME TRAITS PRODUCT…: an executable that depends on these products, and whose program is standard input.
package() {
    name=$1
    traits=$2
    shift 2
    products=
    for product in "$@"; do
        products="$products.product(name: \"$product\", package: \"grove\"), "
    done
    mkdir -p "$work/$name/Sources/App"
    cat >"$work/$name/Sources/App/main.swift"
    cat >"$work/$name/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "$name",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "file://$work/grove.git", exact: "0.1.0", traits: [$traits])],
    targets: [.executableTarget(name: "App", dependencies: [$products])]
)
END
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

# build NAME HIDDEN…: builds the package where the libraries HIDDEN do not exist; sets `program` to the executable.
build() {
    name=$1
    shift
    built=$work/$name/$system
    log=$built.log
    BUILD_IN="$work/$name"
    BUILD="$SWIFT build $FLAGS --build-system $system --scratch-path $built"
    export BUILD BUILD_IN
    if [ -n "$enter" ]; then
        $enter sh "$work/hide.sh" "$work" "$@" >"$log" 2>&1 || fail "$name does not build ($system)" "$log"
    else
        (cd "$BUILD_IN" && $BUILD) >"$log" 2>&1 || fail "$name does not build ($system)" "$log"
    fi
    ! grep -qi 'warning' "$log" || fail "$name builds with a warning ($system)" "$log"
    program=$(cd "$BUILD_IN" && $BUILD --show-bin-path)/App
}

# fetched NAME PACKAGE…: these packages were fetched beside Grove, and no others.
fetched() {
    name=$1
    shift
    found=$(cd "$built/checkouts" && echo *)
    [ "$found" = "grove${*:+ $*}" ] || fail "$name fetches $found ($system)"
}

# MARK: - What was linked and compiled

linked() {
    if [ "$(uname -s)" = Darwin ]; then otool -L "$1"; else ldd "$1"; fi
}

# links NAME LIBRARY: the executable links this one.
links() {
    linked "$program" | grep -q "lib$2\." || fail "$1 does not link lib$2 ($system)"
}

# absent NAME LIBRARY…: the executable links none of these, and calls nothing of theirs.
absent() {
    name=$1
    shift
    linked "$program" >"$work/$name.linked"
    nm "$program" >"$work/$name.symbols" || fail "nm cannot read $program"
    for library in "$@"; do
        ! grep -q "lib$library\." "$work/$name.linked" || fail "$name links lib$library ($system)" "$work/$name.linked"
        case $library in
        lmdb) symbols='mdb_env_' ;;
        *) symbols="${library}_" ;;
        esac
        ! grep -qE " U _?$symbols" "$work/$name.symbols" || fail "$name calls lib$library ($system)"
    done
}

# objects TARGET: one of the files that compiling the target makes.
objects() {
    find "$built/" -path "*/$1.build/*" \( -name '*.o' -o -name '*.swiftmodule' \) | head -n 1
}

# compiled NAME TARGET: the target was compiled.
compiled() {
    [ -n "$(objects "$2")" ] || fail "no file of $2 is in the build of $1 ($system)"
}

# uncompiled NAME TARGET…: no file of these targets was made.
uncompiled() {
    name=$1
    shift
    for target in "$@"; do
        [ -z "$(objects "$target")" ] || fail "$name compiles $target ($system)"
    done
}

# prints NAME TEXT: the executable runs, in a directory of its own, and prints this.
prints() {
    (cd "$built" && "$program") >"$work/$1.out" 2>&1 || fail "$1 does not run ($system)" "$work/$1.out"
    [ "$(cat "$work/$1.out")" = "$2" ] || fail "$1 does not print $2 ($system)" "$work/$1.out"
}

# MARK: - The packages

package memory '' GroveMemory <<END
import GroveCache
import GroveMemory

print(MemoryStore.profile.name)
END
for engine in LMDB SQLite LevelDB; do
    package "$engine" '' "Grove$engine" <<END
import Grove$engine

let cache = try ${engine}Cache(directory: "store")
print(try cache.size().entries)
END
done
package screens '"Macros"' Grove GroveLMDB GroveMacros <<END
import Grove
import GroveLMDB
import GroveMacros

@Cacheable
struct Person {
    let id: String
    let name: String
}

let cache = try LMDBCache(directory: "store")
try cache.write(Person(id: "1", name: "Ann"))
let provider = DataProvider<Person>(dataModelManager: DataModelManager(cacheDelegate: cache))
provider.setData(try cache.model("Person:1"))
print(provider.data?.name ?? "nothing")
END

for system in $SYSTEMS; do
    build memory lmdb sqlite3 leveldb
    fetched memory
    absent memory lmdb sqlite3 leveldb
    compiled memory GroveMemory
    uncompiled memory GroveLMDB GroveSQLite GroveLevelDB GroveFloor GroveCompare GroveTool
    prints memory memory
    echo "scratch ($system): GroveMemory alone links no engine, compiles no C, fetches nothing and warns of nothing"

    build LMDB sqlite3 leveldb
    fetched LMDB
    links LMDB lmdb
    absent LMDB sqlite3 leveldb
    compiled LMDB GroveLMDB
    uncompiled LMDB GroveSQLite GroveLevelDB GroveFloor GroveCompare GroveTool
    prints LMDB 0
    echo "scratch ($system): GroveLMDB alone links liblmdb and no other engine"

    build SQLite lmdb leveldb
    fetched SQLite
    links SQLite sqlite3
    absent SQLite lmdb leveldb
    compiled SQLite GroveSQLite
    uncompiled SQLite GroveLMDB GroveLevelDB GroveFloor GroveCompare GroveTool
    prints SQLite 0
    echo "scratch ($system): GroveSQLite alone links libsqlite3 and no other engine"

    build LevelDB lmdb sqlite3
    fetched LevelDB
    links LevelDB leveldb
    absent LevelDB lmdb sqlite3
    compiled LevelDB GroveLevelDB
    uncompiled LevelDB GroveLMDB GroveSQLite GroveFloor GroveCompare GroveTool
    prints LevelDB 0
    echo "scratch ($system): GroveLevelDB alone links libleveldb and no other engine"

    build screens sqlite3 leveldb
    fetched screens swift-syntax
    absent screens sqlite3 leveldb
    compiled screens GroveProviders
    uncompiled screens GroveSQLite GroveLevelDB GroveFloor GroveCompare GroveTool
    prints screens Ann
    echo "scratch ($system): Grove, GroveLMDB and GroveMacros fetch swift-syntax alone"
done

if [ -n "$enter" ]; then
    echo "scratch: all were built with the headers and libraries they must not need hidden"
else
    echo "scratch: skipped hiding the headers: this machine makes no private mount namespace"
fi
