extension Rule {
    /// The guide for authors of backends.
    static let guide = "Docs/Backends/ImplementingABackend.md"

    /// The sentence of the guide that this rule checks; `nil` if the guide has none.
    package var promise: String? { Rule.promises[id] }

    // A test holds these against the guide.
    static let promises: [String: String] = [
        "STO-02": "A view shows the state at its opening, whatever is committed later.",
        "STO-03": "A transaction whose body throws leaves nothing behind.",
        "STO-05": "A value of no bytes is an empty buffer, never `nil`.",
        "STO-06": "A transaction sees its own puts and removals, in scans too.",
        "STO-08": "Keys of 1 to 8,192 bytes work.",
        "KEY-04": "Keys are bytes: NUL does not end them, and NFC is not NFD.",
        "KEY-05": "Keys are bytes: NUL does not end them, and NFC is not NFD.",
        "CON-08": "After `wipe()` no file holds a byte of the old content.",
        "LIF-07": "A list that you keep for later, such as files to sync, must not keep replaced values alive.",
        "LIF-09":
            "After `close()` no descriptor and no lock is left: the cache closes the store to suspend it, and opens it again.",
        "LIF-10": "A store on disk names its `mainFile` in its profile.",
        "DUR-14": "A store on disk names its `mainFile` in its profile.",
        "CNC-02": "`view()` must not wait for a body of `write(_:)`.",
    ]
}
