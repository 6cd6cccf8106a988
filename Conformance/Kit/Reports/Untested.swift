/// What no rule of the kit tests: a report that is published says so.
enum Untested {
    static let sentences = [
        "Speed: `grove compare` measures it.",
        "Loss of power on a real disk: it is simulated from the calls that the store makes.",
        "Network file systems, and disks that lie about what they have synced.",
        "Stores that grow for weeks: `--soak` tries random programs for as long as "
            + "it is told.",
        "Other systems than the one that the kit ran on.",
    ]
}
