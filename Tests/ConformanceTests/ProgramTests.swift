import GroveConformance
import GroveMutants
import Testing

/// Scripts of programs.
@Suite struct ProgramTests {
    private static let script = """
        # Every step there is.
        put shelf1=3(-,letter2=0(person4=7))
        set branch0=1(person1=0,branch1=2(-))
        fail put small2=5
        list 1 full full0=1;full0=1
        append 1 full full3=2
        insert 1 full 0 full1=4
        replace 1 full 1 3 full2=0;full2=1
        remove 1 full 0 1
        move 1 full 0 2
        remove 1 full 3 4
        count 1
        page 1 full 1 3
        view getlist 1 full | get full 3
        transaction put person1=1 | append 1 full full0=5 | count 1 | throw
        transaction unlist full 3 | count 1 | deleteall small | all full
        transaction append 1 full full2=2 | move 1 full 0 4
        fail transaction append 1 full full0=5 | count 1
        getlist 1 full
        fill 0 130
        remove 0 person 1 129
        getlist 0 person
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
        #expect(steps.count == 30)
        let changed = "changed {letter2 person4 shelf1} deleted {} collections {}"
        #expect(steps[0] == "put shelf1=3(-,letter2=0(person4=7)): \(changed)")
        #expect(steps[9].hasSuffix(": outOfRange"), "there are three positions: \(steps[9])")
        #expect(steps[10] == "count 1: 3")
        #expect(
            steps[11] == "page 1 full 1 3: [profile3[n2,b2,m2];profile2[n1,b1,m1]]", "one has moved behind")
    }

    @Test(
        "What is no step is refused, by its line",
        arguments: [
            "put", "put shelf1", "put shelf1=0(person1=0)", "put letter1=0(-)", "list 0 person letter1=0", "jump",
            "page 0 person 2 1", "move 0 person 1", "insert 0 person person1=0", "transaction throw | wipe",
            "view get person 1 | throw", "transaction wipe flush", "fail",
        ])
    func noScript(_ line: String) {
        #expect(throws: CheckFailure.self) { try RandomProgram(script: "flush\n\(line)") }
    }
}
