#if Tool
    import GroveCompare
    import GrovePlatform

    /// `grove compare --for shared`: a cache of many machines over PostgreSQL, beside joins, blobs and Redis.
    ///
    /// The tool links no libpq and starts no server: `make shared` builds the program that does, and replaces this
    /// process.
    enum SharedComparison {
        /// Runs the comparison; it does not return if it succeeds.
        static func run() throws {
            let arguments = ["make", "--no-print-directory", "shared", "SHARED_ARGS=measure"]
            let hasScript = unsafe access("Scripts/shared.sh", R_OK) == 0
            guard hasScript else {
                throw ToolError.input(
                    "shared starts a PostgreSQL server of its own, by a script of Grove: run it in a checkout of Grove")
            }
            var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
            unsafe execvp("make", &words)
            throw ToolError.failed("make cannot be run: \(unsafe String(cString: strerror(errno)))")
        }
    }
#endif
