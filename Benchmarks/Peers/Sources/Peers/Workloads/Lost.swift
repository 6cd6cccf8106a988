/// A contestant did not give back what was stored.
struct Lost: Error {
    let what: String

    init(_ what: String) { self.what = what }
}
