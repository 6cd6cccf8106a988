#if Tool
    import ArgumentParser
    import GroveCompare

    /// The store that a command works on.
    struct StoreOptions: ParsableArguments {
        @Option(help: "The storage engine.")
        var backend: BackendName

        @Option(help: ArgumentHelp("The store's directory; not needed for memory.", valueName: "dir"))
        var store: String?

        @Option(
            help: ArgumentHelp(
                "The bytes of address space that LMDB may use, which is the most that its store can have.",
                valueName: "bytes"))
        var mapSize: Int?
    }

    extension StorePlace {
        /// The place that the user named.
        init(_ options: StoreOptions) throws(ToolError) {
            try self.init(options.backend, options.store, mapSize: options.mapSize)
        }
    }
#endif
