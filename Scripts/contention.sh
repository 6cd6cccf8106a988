#!/bin/sh
# Counts how often readers of one cache wait for each other, on Linux (Docs/Internals/BigMachines.md).
#
# A program with THREADS readers of one cache in one process reads single records at random for some seconds. A library that is
# loaded before all others counts the acquisitions that did not succeed at once: of the mutexes of Grove and of the
# engines, which are pthread's; and system calls of Swift's own Mutex, which Grove's readers do not use. The engines also
# lock bytes of files: counted too.
#
#   SWIFT     the swift command           THREADS   1 2 4 8 16 by default
#   BACKENDS  memory lmdb sqlite leveldb  SECONDS_EACH   for each line, 3 by default
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ "$(uname -s)" = Linux ] || { echo "contention: this counts system calls of Linux" >&2; exit 2; }
SWIFT=${SWIFT:-swift}
compiler=$(command -v clang || command -v gcc || echo "$(dirname "$(readlink -f "$(command -v "$SWIFT")")")/clang")
unset GROVE_DEVELOPMENT
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$work/Reading/Sources/Reading"

cat >"$work/Reading/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Reading", platforms: [.macOS(.v15)],
    dependencies: [.package(name: "grove", path: "$root")],
    targets: [
        .executableTarget(
            name: "Reading",
            dependencies: ["GroveMemory", "GroveLMDB", "GroveSQLite", "GroveLevelDB"].map { .product(name: \$0, package: "grove") })
    ]
)
END
cat >"$work/Reading/Sources/Reading/main.swift" <<'END'
import Foundation
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite
import Synchronization

struct Person: CacheableModel, Model, Equatable {
    let id: Int
    let name: String

    static let recordName = "Person"
    static let projectionName = "Person"
    static let fields = FieldTable("id", "name")
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> Person? { self }
    func forEach(_ visit: (any Model) -> Void) {}
    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
    }
    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Person {
        let id = try node.scan(Int.self, at: 0)
        let name = try node.scan(String.self, at: 1)
        return Person(id: try node.finish(id), name: try node.finish(name))
    }
}

final class Counts: Sendable {
    let reads = Atomic(0)
    let isOver = Atomic(false)
}

func run<Store: NodeStore>(_ cache: NormalizedCache<Store>, threads: Int, seconds: Double) throws {
    let people = (0..<10_000).map { Person(id: $0, name: "Somebody with the number \($0)") }
    try cache.write(contentsOf: people)
    let identifiers = people.compactMap(\.modelIdentifier)
    let counts = Counts()
    let group = DispatchGroup()
    for thread in 0..<threads {
        group.enter()
        Thread.detachNewThread {
            var (state, reads) = (UInt64(thread &+ 1) &* 0x9E37_79B9_7F4A_7C15, 0)
            while !counts.isOver.load(ordering: .relaxed) {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                let identifier = identifiers[Int((state >> 33) % 10_000)]
                guard case .hit? = try? cache.read(identifier, as: Person.self) else { fatalError("a person was lost") }
                reads += 1
            }
            counts.reads.add(reads, ordering: .relaxed)
            group.leave()
        }
    }
    Thread.sleep(forTimeInterval: seconds)
    counts.isOver.store(true, ordering: .relaxed)
    group.wait()
    print("reads", counts.reads.load(ordering: .relaxed))
}

let (backend, threads, seconds) = (CommandLine.arguments[1], Int(CommandLine.arguments[2])!, Double(CommandLine.arguments[3])!)
let directory = CommandLine.arguments[4]
switch backend {
case "memory": try run(MemoryCache(), threads: threads, seconds: seconds)
case "lmdb": try run(LMDBCache(directory: directory), threads: threads, seconds: seconds)
case "sqlite": try run(SQLiteCache(directory: directory), threads: threads, seconds: seconds)
default: try run(LevelDBCache(directory: directory), threads: threads, seconds: seconds)
}
END
cat >"$work/count.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long futexes, mutexes, contended, locks;

// Swift's Mutex calls this one, with FUTEX_LOCK_PI, where spinning did not get it the lock.
long syscall(long number, ...) {
    static long (*next)(long, long, long, long, long, long, long);
    if (!next) next = (long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, "syscall");
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
         e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (number == SYS_futex && (b & FUTEX_CMD_MASK) == FUTEX_LOCK_PI) atomic_fetch_add_explicit(&futexes, 1, memory_order_relaxed);
    return next(number, a, b, c, d, e, f);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*next)(pthread_mutex_t *);
    if (!next) next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    atomic_fetch_add_explicit(&mutexes, 1, memory_order_relaxed);
    if (pthread_mutex_trylock(mutex) == 0) return 0;
    atomic_fetch_add_explicit(&contended, 1, memory_order_relaxed);
    return next(mutex);
}

static int locking(const char *name, int descriptor, int command, void *argument) {
    int (*next)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
    if (command == F_SETLK || command == F_SETLKW) atomic_fetch_add_explicit(&locks, 1, memory_order_relaxed);
    return next(descriptor, command, argument);
}
int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return locking("fcntl", descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return locking("fcntl64", descriptor, command, argument);
}

__attribute__((destructor)) static void report(void) {
    fprintf(stdout, "swift %ld pthread %ld contended %ld files %ld\n", futexes, mutexes, contended, locks);
}
END
$compiler -O2 -shared -fPIC -o "$work/count.so" "$work/count.c" -ldl -lpthread
$SWIFT build -c release --package-path "$work/Reading" --scratch-path "${BUILD:-$work/build}" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
program=${BUILD:-$work/build}/release/Reading

printf '%-8s %7s %9s  %s\n' backend threads reads/s 'for each million reads: Mutex that waited, pthread mutexes taken, of those waited, locks of files'
seconds=${SECONDS_EACH:-3}
for backend in ${BACKENDS:-memory lmdb sqlite leveldb}; do
    for threads in ${THREADS:-1 2 4 8 16}; do
        rm -rf "$work/store"
        LD_PRELOAD=$work/count.so "$program" "$backend" "$threads" "$seconds" "$work/store" |
            awk -v backend="$backend" -v threads="$threads" -v seconds="$seconds" '
                $1 == "reads" { reads = $2 }
                $1 == "swift" { swift = $2; taken = $4; waited = $6; files = $8 }
                END {
                    million = reads / 1000000
                    printf "%-8s %7d %9d  %10.0f %10.0f %10.0f %10.0f\n", backend, threads, reads / seconds,
                        swift / million, taken / million, waited / million, files / million
                }'
    done
done
