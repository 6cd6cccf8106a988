#!/bin/sh
# Proves what an application that depends on Grove gets: packages outside this one, which depend on it by a URL.
#
# The URL is that of a clone made for the occasion, with a tag: SwiftPM treats such a dependency differently from one by
# path, and takes what is committed. So this builds HEAD, and not the changes in the working copy. There is a client for
# each product of an application and for the kit, and one for each trait that needs no server. Every client is built by both
# of SwiftPM's build systems.
#
# A client may fetch, compile and link what it names, and no more. Where a private mount namespace can be made (Linux,
# root or user namespaces), the headers and the libraries that must not be needed are hidden from the build; elsewhere
# that part says it is skipped. At the end it prints, for each client, the packages that were fetched, the processor's
# seconds for a clean build of the native system (on two cores the clock shows some more than half of them), and the bytes
# of its program, optimised and stripped.
#
#   SWIFT   the swift command        FLAGS   flags for `swift build`
#   SYSTEMS the build systems, native and swiftbuild by default
#   CLIENTS the clients, all by default
#   MEASURE no: builds nothing optimised, and prints no table
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
SWIFT=${SWIFT:-swift}
FLAGS=${FLAGS:-}
SYSTEMS=${SYSTEMS:-native swiftbuild}
CLIENTS=${CLIENTS:-}
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
version=$(sed -n 's/.*static let kit = "\([^"]*\)".*/\1/p' "$root/Conformance/Kit/Run/ConformanceReport.swift")
git -C "$work/grove.git" tag -f "$version" HEAD >/dev/null
[ -z "$(git -C "$root" status --porcelain)" ] ||
    echo "scratch: builds the last commit; what changed since then is not in it: commit it first"

. "$root/Scripts/clients.sh"

# MARK: - The clients

# wanted NAME: it is one of CLIENTS.
wanted() {
    case " ${CLIENTS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

# says NAME TEXT: the build fails, and its only errors are this sentence.
says() {
    name=$1
    wanted "$name" || return 0
    hidden=
    built=$work/$name/$system
    ! swift_in "$name" "$built.log" build $FLAGS --build-system "$system" --scratch-path "$built" ||
        fail "$name builds ($system)"
    grep -F 'error:' "$built.log" | grep -E '/main\.swift:' >"$built.errors" || fail "$name fails otherwise" "$built.log"
    ! grep -vqF "$2" "$built.errors" || fail "$name ends in other errors too ($system)" "$built.errors"
    rm -rf "$built"
    echo "scratch ($system): $name says: $2"
}

all='lmdb sqlite3 leveldb'
everything='GroveMemory GroveLMDB GroveSQLite GroveLevelDB GroveFloor GroveCompare GroveTool'

# without WORD LIST…: the list without the word.
without() {
    word=$1
    shift
    for entry in "$@"; do
        [ "$entry" = "$word" ] || printf '%s ' "$entry"
    done
}

# client NAME TITLE ENGINE TARGET PRINTS PACKAGE…: the package builds with every library hidden but ENGINE's, which it
# links; it compiles TARGET, no other backend and nothing of the tool; it prints PRINTS and fetched these packages.
client() {
    name=$1
    title=$2
    engine=$3
    target=$4
    text=$5
    shift 5
    wanted "$name" || return 0
    # shellcheck disable=SC2046
    build "$name" $(without "$engine" $all)
    fetches "$name" "$@"
    [ "$engine" = - ] || links "$name" "$engine"
    # shellcheck disable=SC2046
    absent "$name" $(without "$engine" $all)
    compiled "$name" "$target"
    # shellcheck disable=SC2046
    uncompiled "$name" $(without "$backend" $everything)
    prints "$name" "$text"
    [ "$system" != native ] || [ "${MEASURE:-yes}" = no ] || optimise "$name" "$title"
    rm -rf "$built"
    echo "scratch ($system): $title: fetches ${*:-nothing}, warns of nothing, $debug s"
}

package model '' GroveModel <<END
import GroveModel

print(ModelIdentifier("Message:34").rawValue)
END
package coding '' GroveCoding GroveModel <<END
import GroveCoding
import GroveModel

print(ModelIdentifier("Message:34").rawValue)
END
package consistency '' GroveConsistency GroveModel <<END
import GroveConsistency
import GroveModel

let manager = ConsistencyManager()
print(type(of: manager))
END
package providers '' GroveProviders <<END
import GroveProviders

print("providers")
END
package uncached '' Grove <<END
import Grove

print(type(of: ConsistencyManager()))
END
package cache '' GroveCache <<END
import GroveCache

print(CacheBudget(bytes: 50_000_000) == CacheBudget(bytes: 50_000_000))
END
package memory '' GroveMemory <<END
import GroveMemory

print(MemoryStore.profile.name)
END
package outbox '' GroveOutbox <<END
import GroveOutbox

print(type(of: OutboxOptions()))
END
package testing '' GroveTesting <<END
import GroveTesting

print(type(of: TestClock()))
END
package shared '' GroveShared <<END
import GroveShared

print(type(of: Freshness.near))
END
for engine in LMDB SQLite LevelDB; do
    package "$engine" '' "Grove$engine" <<END
import Grove$engine

let cache = try ${engine}Cache(directory: "store")
print(try cache.size().entries)
END
done
package kit '' GroveConformance GroveMemory <<END
import GroveConformance
import GroveMemory

print(Rules.all.first?.id ?? "no rule")
END
package logging '"Logging"' GroveLogging GroveMemory <<END
import GroveLogging
import GroveMemory
import Logging

let observer: any CacheObserver = LoggingObserver(Logger(label: "grove"))
print(type(of: observer))
END
package metrics '"Metrics"' GroveMetrics GroveMemory <<END
import GroveMemory
import GroveMetrics

let observer: any CacheObserver = MetricsObserver()
print(type(of: observer))
END
screens='
@Cacheable
struct Person {
    let id: String
    let name: String
}

let cache = try SQLiteCache(directory: "store")
try cache.write(Person(id: "1", name: "Ann"))
let provider = DataProvider<Person>(dataModelManager: DataModelManager(cacheDelegate: cache))
provider.setData(try cache.model("Person:1"))
print(provider.data?.name ?? "nothing")'
package screens '"Macros"' Grove GroveSQLite GroveMacros <<END
import Grove
import GroveMacros
import GroveSQLite
$screens
END
# Its own module belongs to the main actor unless a declaration says otherwise, as Xcode sets up new projects.
settings=', swiftSettings: [.defaultIsolation(MainActor.self)]'
package actor '"Macros"' Grove GroveSQLite GroveMacros <<END
import Grove
import GroveMacros
import GroveSQLite
$screens
END
settings=
package everything '"Macros", "Logging", "Metrics"' Grove GroveSQLite GroveMacros GroveLogging GroveMetrics <<END
import Grove
import GroveLogging
import GroveMacros
import GroveMetrics
import GroveSQLite
$screens
END
package untraited '' GroveMacros <<END
import GroveMacros

@Cacheable
struct Person {
    let id: String
}
END
package unlogged '' GroveLogging <<END
import GroveLogging

let observer: LoggingObserver? = nil
END

for system in $SYSTEMS; do
    backend=-
    client model GroveModel - GroveModel Message:34
    client coding "GroveCoding and GroveModel" - GroveCoding Message:34
    client consistency "GroveConsistency and GroveModel" - GroveConsistency ConsistencyManager
    client providers GroveProviders - GroveProviders providers
    client uncached Grove - GroveProviders ConsistencyManager
    client cache GroveCache - GroveCache true
    client outbox GroveOutbox - GroveOutbox OutboxOptions
    client shared GroveShared - GroveShared Freshness
    backend=GroveMemory
    client memory GroveMemory - GroveMemory memory
    client testing GroveTesting - GroveTesting TestClock
    for engine in LMDB SQLite LevelDB; do
        backend=Grove$engine
        library=$(echo "$engine" | tr '[:upper:]' '[:lower:]')
        client "$engine" "Grove$engine" "${library%sqlite}$([ "$library" != sqlite ] || echo sqlite3)" "Grove$engine" 0
    done
    backend=GroveMemory
    client kit "GroveConformance and GroveMemory" - GroveConformance HAR-01
    client logging "GroveLogging and GroveMemory" - GroveLogging LoggingObserver swift-log
    client metrics "GroveMetrics and GroveMemory" - GroveMetrics MetricsObserver swift-metrics
    backend=GroveSQLite
    client screens "Grove, GroveSQLite and GroveMacros" sqlite3 GroveProviders Ann swift-syntax
    client actor "the same, on the main actor by default" sqlite3 GroveProviders Ann swift-syntax
    client everything "the same, with GroveLogging and GroveMetrics" sqlite3 GroveLogging Ann \
        swift-log swift-metrics swift-syntax
    says untraited '@Cacheable needs the trait Macros. Add traits: ["Macros"] to Grove'
    says unlogged 'LoggingObserver needs the trait Logging. Add traits: ["Logging"] to Grove'
done

if [ -n "$enter" ]; then
    echo "scratch: all were built with the headers and libraries they must not need hidden"
else
    echo "scratch: skipped hiding the headers: this machine makes no private mount namespace"
fi
if [ -f "$work/table" ]; then
    printf '\n| products | packages fetched | debug, s | release, s | stripped, bytes |\n|---|---|---|---|---|\n'
    cat "$work/table"
fi
