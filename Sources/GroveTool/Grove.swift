import GroveCompare
import GrovePlatform

#if Tool
    import ArgumentParser

    /// The command-line tool.
    @main
    struct Grove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grove",
            abstract: "Looks into Grove's caches, measures its backends, and checks them.",
            discussion: """
                Grove caches trees of immutable models, one record for each identified node, over four storage \
                backends: memory, lmdb, sqlite and leveldb.

                EXAMPLES
                  Compare the backends with each other and with the bare engines:
                    grove compare
                  Check that a backend keeps every rule of the catalogue:
                    grove conformance --backend lmdb
                  Store a JSON document as nodes, look at one, and get it back:
                    grove import feed.json --identity rules.json --backend sqlite --store feed
                    grove inspect --backend sqlite --store feed User:12 --tree
                    grove export --backend sqlite --store feed

                EXIT STATUS
                  0 done; 1 what was asked for failed; 2 the call was wrong, and nothing was done; 3 done in part, as a \
                part of the store is damaged.
                """,
            subcommands: [
                ConformanceCommand.self, CompareCommand.self, ImportCommand.self, ExportCommand.self,
                CopyCommand.self, InspectCommand.self, TraceCommand.self, BudgetCommand.self, SharedSchemaCommand.self,
            ])

        static func main() async {
            Cleanup.handleSignals()
            do {
                var command = try parseAsRoot()
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
            } catch let error as ToolError {
                end(error.description, status: error.exitCode)
            } catch let code as ExitCode {
                Terminal.progress("")
                leave(code.rawValue)
            } catch {
                // Help and the version are thrown too.
                guard exitCode(for: error) != .success else { exit(withError: error) }
                end(message(for: error) + "; see grove --help", status: 2)
            }
        }

        private static func end(_ message: String, status: Int32) -> Never {
            Terminal.progress("")
            Terminal.note("grove: \(message)")
            leave(status)
        }
    }

    /// Ends the process; inside a command, `exit` is the command's own.
    private func leave(_ status: Int32) -> Never { exit(status) }
#else
    @main
    enum Grove {
        static func main() {
            Terminal.note(
                "grove: this build has no commands. Type: swift run -c release --traits Tool grove help")
            exit(2)
        }
    }
#endif
