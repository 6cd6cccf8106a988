#if __has_include(<lmdb.h>)
#include <lmdb.h>
#else
#ifdef __APPLE__
#include <TargetConditionals.h>
#endif
#if !defined(__APPLE__)
#error "GroveLMDB needs lmdb.h. On Debian: apt-get install liblmdb-dev. Or depend on GroveSQLite."
#elif TARGET_OS_OSX
#error "GroveLMDB needs lmdb.h: brew install lmdb, and the flags in Docs/Guides/Modules.md. Or depend on GroveSQLite."
#else
#error "GroveLMDB runs on Linux and macOS. Depend on GroveSQLite: its engine is in every SDK of Apple's."
#endif
#endif
#include <sys/stat.h>

/// The length of the file behind `descriptor`, less than 0 where that fails with `errno`.
///
/// In C, as in Swift it depends on the order of modules which of them declares `struct stat`.
static inline long long grove_lmdb_length(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? (long long)status.st_size : -1;
}
