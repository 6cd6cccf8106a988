# For Scripts/scratch.sh, which reads it: how a package outside this one is made, built, looked into and measured. It uses
# what that script sets: work, version, SWIFT, FLAGS, system, fail.

# MARK: - Packages

# package NAME TRAITS PRODUCT…: an executable that depends on these products, and whose program is standard input. Its
# modules have the settings in `settings`.
settings=
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
    dependencies: [.package(url: "file://$work/grove.git", exact: "$version", traits: [$traits])],
    targets: [.executableTarget(name: "App", dependencies: [$products]$settings)]
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

# swift_in NAME LOG COMMAND…: runs a command of swift in the package, where the libraries in `hidden` do not exist.
swift_in() {
    BUILD_IN="$work/$1"
    log=$2
    shift 2
    BUILD="$SWIFT $*"
    export BUILD BUILD_IN
    if [ -n "$enter" ]; then
        # shellcheck disable=SC2086
        $enter sh "$work/hide.sh" "$work" $hidden >"$log" 2>&1
    else
        (cd "$BUILD_IN" && $BUILD) >"$log" 2>&1
    fi
}

# spent: sets `seconds` to those that the processor has spent on commands of this script so far.
spent() {
    times >"$work/times"
    seconds=$(awk 'NR == 2 { split($0, part, /[ms ]+/); printf "%d", part[1] * 60 + part[2] + part[3] * 60 + part[4] }' \
        "$work/times")
}

# build NAME HIDDEN…: builds the package where the libraries HIDDEN do not exist; sets `program` to the executable, and
# `fetched` to the packages that were fetched beside Grove.
build() {
    name=$1
    shift
    hidden=$*
    built=$work/$name/$system
    swift_in "$name" "$built.resolve.log" package --scratch-path "$built" resolve ||
        fail "$name does not resolve" "$built.resolve.log"
    fetched=$(cd "$built/checkouts" && ls | grep -vx grove | tr '\n' ' ')
    spent
    began=$seconds
    swift_in "$name" "$built.log" build $FLAGS --build-system "$system" --scratch-path "$built" ||
        fail "$name does not build ($system)" "$built.log"
    spent
    debug=$((seconds - began))
    ! grep -qi 'warning' "$built.log" || fail "$name builds with a warning ($system)" "$built.log"
    program=$(cd "$work/$name" && $SWIFT build --build-system "$system" --scratch-path "$built" --show-bin-path)/App
}

# optimise NAME: builds it again in a folder of its own, optimised, and writes its line of the table.
optimise() {
    optimised=$work/$1/optimised
    swift_in "$1" "$optimised.log" package --scratch-path "$optimised" resolve || fail "$1 does not resolve"
    spent
    began=$seconds
    swift_in "$1" "$optimised.log" build -c release $FLAGS --scratch-path "$optimised" ||
        fail "$1 does not build optimised" "$optimised.log"
    spent
    release=$((seconds - began))
    strip -o "$optimised/stripped" "$optimised/release/App"
    printf '| %s | %s | %s | %s | %s |\n' "$2" "${fetched:-none}" "$debug" "$release" \
        "$(wc -c <"$optimised/stripped" | tr -d ' ')" >>"$work/table"
    rm -rf "$optimised"
}

# fetches NAME PACKAGE…: these packages were fetched beside Grove, and no others.
fetches() {
    name=$1
    shift
    [ "$fetched" = "${*:+$* }" ] || fail "$name fetches $fetched ($system)"
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
