#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A library that kills a process, or makes its calls fail, at the *n*-th call that changes a file.
///
/// The process loads it before the system's library. It is compiled at its first use, and removed with its owner.
package final class FaultLibrary: Sendable {
    /// A fault, and the call at which it happens.
    package enum Fault: Sendable {
        /// Nothing: the calls are counted.
        case none
        /// The process is killed instead of the call.
        case kill(at: Int)
        /// The call and those after it fail, `count` in all.
        case fail(at: Int, count: Int, errno: Int32)
        /// As ``fail(at:count:errno:)``, of the calls alone that wait for the disk.
        case failSync(at: Int, count: Int, errno: Int32)
    }

    /// The compiler, if there is one and libraries can be preloaded.
    package static let compiler: String? = {
        #if os(Linux)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let folders = path.split(separator: ":").map(String.init)
            return ["cc", "clang", "gcc"].lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        #else
            return nil
        #endif
    }()

    /// Whether the library can be made here.
    package static var isPossible: Bool { compiler != nil }

    private let directory: String
    private var library: String { directory + "/faults.so" }

    /// Compiles the library.
    package init() throws {
        guard let compiler = FaultLibrary.compiler else { throw CheckFailure("There is no C compiler.") }
        // The list of libraries to load is separated by spaces.
        directory = try TemporaryDirectory.make("grove-faults-")
        let source = directory + "/faults.c"
        try TemporaryDirectory.writeFile(source, Array(FaultLibrary.source.utf8))
        let command = WorkerCommand(
            executable: compiler, arguments: ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
        let child = try ChildProcess(command, [])
        _ = child.lines(within: .seconds(60))
        guard child.wait() == .exited(0) else {
            throw CheckFailure("The library of faults does not compile: \(child.errorText)")
        }
    }

    deinit { TemporaryDirectory.remove(directory) }

    /// The environment that makes a process suffer `fault`; its calls are counted in the file `log`.
    ///
    /// - Parameter trace: a file to which what the disk is told is appended; see ``DiskTrace``.
    package func environment(_ fault: Fault, log: String, trace: String? = nil) -> [String: String] {
        var all = ["LD_PRELOAD": library, "GROVE_FAULT_LOG": log]
        all["GROVE_TRACE"] = trace
        switch fault {
        case .none: break
        case .kill(let number): all["GROVE_FAULT"] = "kill \(number) 1 0"
        case .fail(let number, let count, let code): all["GROVE_FAULT"] = "fail \(number) \(count) \(code)"
        case .failSync(let number, let count, let code): all["GROVE_FAULT"] = "sync \(number) \(count) \(code)"
        }
        return all
    }

    /// A new file for a process to count in.
    package func makeLog() throws -> String {
        let path = "\(directory)/\(UUID().uuidString).log"
        try TemporaryDirectory.writeFile(path, [UInt8](repeating: 0, count: 16))
        return path
    }

    /// What was counted: the calls that change files, or wait for the disk where they alone fail, and how many of them
    /// failed.
    package static func counts(_ log: String) -> (calls: Int, failed: Int) {
        let bytes = FileManager.default.contents(atPath: log).map { [UInt8]($0) } ?? []
        guard bytes.count == 16 else { return (0, 0) }
        func number(_ start: Int) -> Int { (0..<8).reduce(0) { $0 | Int(bytes[start + $1]) << ($1 * 8) } }
        return (number(0), number(8))
    }

    private static let source = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <signal.h>
        #include <stdatomic.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <sys/types.h>
        #include <sys/uio.h>
        #include <unistd.h>

        /* What the disk is told, for a loss of power to be played afterwards: one record for each call that changed a
           file or waited for the disk, with the file's path, a place, a number, and the bytes. */
        static int trace = -1;
        static pthread_mutex_t tracing = PTHREAD_MUTEX_INITIALIZER;

        static void put(const void *bytes, size_t count) {
            const char *next = bytes;
            while (count > 0) {
                ssize_t done = syscall(SYS_write, trace, next, count);
                if (done <= 0) return;
                next += done;
                count -= (size_t)done;
            }
        }

        static void record_path(char kind, const char *path, int64_t place, const struct iovec *parts, int count, size_t total) {
            uint32_t sizes[2] = {(uint32_t)strlen(path), (uint32_t)total};
            pthread_mutex_lock(&tracing);
            put(&kind, 1);
            put(sizes, sizeof sizes);
            put(&place, sizeof place);
            put(path, sizes[0]);
            for (int i = 0; i < count && total > 0; i++) {
                size_t size = parts[i].iov_len < total ? parts[i].iov_len : total;
                put(parts[i].iov_base, size);
                total -= size;
            }
            pthread_mutex_unlock(&tracing);
        }

        static void record(char kind, int fd, int64_t place, const struct iovec *parts, int count, ssize_t total) {
            char link[64], path[4096];
            if (trace < 0 || total < 0) return;
            int saved = errno;
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            ssize_t size = readlink(link, path, sizeof path - 1);
            if (size > 0) {
                path[size] = 0;
                if (kind == 'w' && place < 0) place = lseek(fd, 0, SEEK_CUR) - total;
                record_path(kind, path, place, parts, count, (size_t)total);
                if (kind == 'w' && (fcntl(fd, F_GETFL) & O_DSYNC)) record_path('s', path, 0, 0, 0, 0);
            }
            errno = saved;
        }

        static char mode[8];
        static long at = 0, times = 0;
        static int code = 0;
        static _Atomic long local[2];
        static _Atomic long *counts = local;

        __attribute__((constructor)) static void prepare(void) {
            const char *fault = getenv("GROVE_FAULT"), *log = getenv("GROVE_FAULT_LOG");
            if (log) {
                int file = open(log, O_RDWR | O_CLOEXEC);
                void *map = file < 0 ? MAP_FAILED : mmap(0, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
                if (map != MAP_FAILED) counts = map;
                if (file >= 0) close(file);
            }
            const char *recording = getenv("GROVE_TRACE");
            if (recording) trace = open(recording, O_WRONLY | O_APPEND | O_CLOEXEC);
            if (fault) sscanf(fault, "%7s %ld %ld %d", mode, &at, &times, &code);
        }

        /* Whether the call must fail; a process that is to die does not come back. */
        static int hit(int syncs) {
            if (!strcmp(mode, "sync") && !syncs) return 0;
            long number = atomic_fetch_add(&counts[0], 1) + 1;
            if (at == 0 || number < at || number >= at + times) return 0;
            atomic_fetch_add(&counts[1], 1);
            if (!strcmp(mode, "kill")) { kill(getpid(), SIGKILL); for (;;) pause(); }
            errno = code;
            return 1;
        }

        /* Pipes, terminals and the descriptors by which threads wake each other do not count. */
        static int is_file(int fd) {
            struct stat status;
            int saved = errno, is = 0;
            if (fd > 2 && fstat(fd, &status) == 0) is = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
            errno = saved;
            return is;
        }

        #define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
        #define ONE(b, n) struct iovec one = {(void *)(b), (n)}
        #define FD(type, name, arguments, values, syncs, before, kind, place, parts, count) \
            type name arguments { \
                NEXT(name); before; \
                if (is_file(fd) && hit(syncs)) return -1; \
                type done = next values; \
                if (trace >= 0 && is_file(fd)) record(kind, fd, place, parts, count, (ssize_t)done); \
                return done; }

        FD(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n), 0, ONE(b, n), 'w', -1, &one, 1)
        FD(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), 0, (void)0, 'w', -1, v, n)
        FD(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o), 0, ONE(b, n), 'w', o, &one, 1)
        FD(ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t o), (fd, b, n, o), 0, ONE(b, n), 'w', o, &one, 1)
        FD(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t o), (fd, v, n, o), 0, (void)0, 'w', o, v, n)
        FD(int, fsync, (int fd), (fd), 1, (void)0, 's', 0, 0, 0)
        FD(int, fdatasync, (int fd), (fd), 1, (void)0, 's', 0, 0, 0)
        FD(int, ftruncate, (int fd, off_t n), (fd, n), 0, (void)0, 't', n, 0, 0)
        FD(int, ftruncate64, (int fd, off64_t n), (fd, n), 0, (void)0, 't', n, 0, 0)
        int msync(void *a, size_t n, int f) { NEXT(msync); return hit(1) ? -1 : next(a, n, f); }
        int rename(const char *a, const char *b) {
            NEXT(rename);
            if (hit(0)) return -1;
            int done = next(a, b);
            struct iovec other = {(void *)b, strlen(b)};
            if (trace >= 0 && done == 0) record_path('r', a, 0, &other, 1, other.iov_len);
            return done;
        }
        int unlink(const char *a) {
            NEXT(unlink);
            if (hit(0)) return -1;
            int done = next(a);
            if (trace >= 0 && done == 0) record_path('u', a, 0, 0, 0, 0);
            return done;
        }
        """#
}
