/// The C library of the platform: files, locks and clocks of the system. No module of Grove imports one by itself.

#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Android)
    @_exported public import Android
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Glibc
#endif
