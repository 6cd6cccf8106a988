#if Tool
    import ArgumentParser
    import GroveCompare

    /// Which store a command works on.
    struct StoreOptions: ParsableArguments {
        @Option(help: "The storage engine.")
        var backend: BackendName

        @Option(help: ArgumentHelp("The store's directory; not needed for memory.", valueName: "dir"))
        var store: String?
    }
#endif
