#if __has_include(<leveldb/c.h>)
#include <leveldb/c.h>
#else
#ifdef __APPLE__
#include <TargetConditionals.h>
#endif
#if !defined(__APPLE__)
#error "GroveLevelDB needs leveldb/c.h. On Debian: apt-get install libleveldb-dev. Or depend on GroveSQLite."
#elif TARGET_OS_OSX
#error "GroveLevelDB needs leveldb/c.h: brew install leveldb, and the flags in Docs/Guides/Modules.md. Or depend on GroveSQLite."
#else
#error "GroveLevelDB runs on Linux and macOS. Depend on GroveSQLite: its engine is in every SDK of Apple's."
#endif
#endif
