#if Tool
    import ArgumentParser
    import GroveCache
    import GroveCoding
    import GroveCompare
    import GroveModel

    /// `grove export`: the imported document, rebuilt from its nodes.
    struct ExportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Prints the imported document, rebuilt from its nodes.",
            discussion: """
                Every node is in its newest version, from any writer. Members of objects stand in the order of the \
                records. A document whose nodes hold each other in a circle cannot be printed and ends in the error \
                "cycle"; grove inspect still shows its nodes.

                A store that cannot be written to, or that LevelDB has open in another process, is copied to a \
                temporary directory and read there.

                If a part of the store is damaged, the rest is printed, with {"$ref": identifier} in the place of a node \
                that cannot be read, and the status is 3.

                EXAMPLES
                  grove export --backend lmdb --store feed --output feed.json
                """)

        @OptionGroup var store: StoreOptions

        @Option(help: ArgumentHelp("The file to write; standard output otherwise.", valueName: "file"))
        var output: String?

        @Flag(help: "Indents nested values.")
        var pretty = false

        func run() async throws {
            try LargeStack.run(unavailable: LargeStack.noThread) { () throws in
                try OutputFile.check(output)
                let place = try StorePlace(store)
                try ReadablePlace.read(place) { readable in
                    let cache = try readable.place.openExisting()
                    defer { cache.close() }
                    Terminal.progress("rebuilding the document")
                    let document = try cache.document(
                        in: place.directory ?? "memory", readable.isPartial ? .asFarAsReadable : .whole)
                    Terminal.progress("")
                    try OutputFile.write(JSONPrinter.print(document.json, indentation: pretty ? 2 : 0), to: output)
                    return document.unreadable
                }
            }
        }
    }
#endif
