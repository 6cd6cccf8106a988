/// The positions of a list's elements, by their handles.
///
/// A position is as of an edit; a look-up makes up for the edits since. So an edit costs its own elements. A look-up
/// costs one step for each edit since the last look-up of this handle, at most 1,024: then all positions are noted
/// again.
struct HandlePositions {
    private struct Edit {
        let start: Int
        let removed: Int
        let inserted: Int
    }

    /// A position, -1 if there is none, and the number of edits that it has made up for.
    private struct Place {
        var position = -1
        var edits = 0
    }

    private var places: [Place] = []
    /// The least handle that is noted.
    private var first = 0
    private var edits: [Edit] = []

    /// Whether all positions are to be noted again.
    var isFull: Bool { edits.count >= 1_024 }

    init() {}

    /// Notes the positions of all elements.
    init(_ handles: [Int]) {
        guard let first = handles.min(), let last = handles.max() else { return }
        self.first = first
        places = Array(repeating: Place(), count: last - first + 1)
        for (position, handle) in handles.enumerated() { places[handle - first].position = position }
    }

    /// Notes that the `removed` elements from `start` on were replaced by those of `handles`.
    mutating func note(_ start: Int, removed: Int, _ handles: some Sequence<Int>) {
        var count = 0
        for handle in handles {
            if places.isEmpty { first = handle }
            if handle < first {
                places.insert(contentsOf: repeatElement(Place(), count: first - handle), at: 0)
                first = handle
            }
            if handle - first >= places.count {
                places.append(contentsOf: repeatElement(Place(), count: handle - first + 1 - places.count))
            }
            places[handle - first] = Place(position: start + count, edits: edits.count + 1)
            count += 1
        }
        edits.append(Edit(start: start, removed: removed, inserted: count))
    }

    /// The position of the element of `handle`; `nil` if it is gone.
    mutating func position(of handle: Int) -> Int? {
        let offset = handle - first
        guard places.indices.contains(offset), places[offset].position >= 0 else { return nil }
        var place = places[offset]
        for edit in edits[place.edits...] where place.position >= edit.start {
            guard place.position >= edit.start + edit.removed else {
                places[offset].position = -1
                return nil
            }
            place.position += edit.inserted - edit.removed
        }
        place.edits = edits.count
        places[offset] = place
        return place.position
    }
}
