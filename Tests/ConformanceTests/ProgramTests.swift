import GroveConformance
import GroveMutants
import Testing

/// Scripts of programs.
@Suite struct ProgramTests {
    private static let script = """
        # Every step there is.
        put shelf1=3(-,letter2=0(person4=7))
        set branch0=1(person1=0,branch1=2(-))
        fail small2=5
        list 1 full full0=1;full0=1
        setlist 0 person -
        delete person 4
        setdelete shelf 1
        evict letter 2
        flush
        reopen
        get branch 0
        getlist 1 full
        wipe

        """

    @Test("A script is read and written without loss, and replays")
    func scripts() throws {
        let program = try RandomProgram(script: Self.script)
        let text = Self.script.split(separator: "\n").dropFirst().map { "\($0)\n" }.joined()
        #expect(program.description == text)
        var steps: [String] = []
        let failure = try Replay.run(program, on: Mutants.reference) { step, said in steps.append("\(step): \(said)") }
        #expect(failure == nil)
        #expect(steps.count == 13)
        #expect(steps[0] == "put shelf1=3(-,letter2=0(person4=7)): changed {letter2 person4 shelf1} deleted {}")
    }

    @Test(
        "What is no step is refused, by its line",
        arguments: [
            "put", "put shelf1", "put shelf1=0(person1=0)", "put letter1=0(-)", "list 0 person letter1=0", "jump",
        ])
    func noScript(_ line: String) {
        #expect(throws: CheckFailure.self) { try RandomProgram(script: "flush\n\(line)") }
    }
}
