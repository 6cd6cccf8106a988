/// One handle on a store: a ``NormalizedCache`` that an application has opened.
///
/// The core gives it as the handle is opened, and it tells the observers, streams and pins of one handle from
/// another's. Handles of one core are in the order in which they were opened; nothing depends on that.
struct HandleID: Hashable, Sendable {
    let rawValue: UInt64
}
