#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "GrovePostgres needs libpq-fe.h. On Debian: apt-get install libpq-dev; on macOS: brew install libpq."
#endif
