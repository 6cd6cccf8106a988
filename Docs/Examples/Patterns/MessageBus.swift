// A message bus between section controllers and the controller that owns them.
//
// Neither knows the other: there is no delegate protocol, no notification name, and nothing to unregister. An event is
// a type.
import Grove

/// An event that a section posts.
struct PhotoSelected: Sendable {
    let photo: String
    let section: Int
}

/// An event that the owner posts to all its sections.
struct SelectionEnded: Sendable {}

/// One section of a gallery.
///
/// The bus does not retain it, so it may be released at any time.
@MainActor
final class SectionController {
    let number: Int
    private let bus: DataModelManager
    private(set) var selected: String?

    init(number: Int, bus: DataModelManager) {
        self.number = number
        self.bus = bus
        // The bus passes the section to the closure, which captures nothing.
        bus.addReceiver(self, for: SelectionEnded.self) { section, _, _ in section.selected = nil }
    }

    func select(_ photo: String) {
        selected = photo
        bus.post(PhotoSelected(photo: photo, section: number))
    }
}

/// The owner of the sections.
@MainActor
final class GalleryController {
    private(set) var sections: [SectionController] = []
    private(set) var opened: [String] = []
    /// The file and the line at which the last event was posted.
    private(set) var lastSource: EventSource?
    private let bus: DataModelManager

    init(bus: DataModelManager, sections count: Int) {
        self.bus = bus
        sections = (0..<count).map { SectionController(number: $0, bus: bus) }
        bus.addReceiver(self, for: PhotoSelected.self) { gallery, event, source in
            gallery.opened.append("\(event.section)/\(event.photo)")
            gallery.lastSource = source
        }
    }

    func close() { bus.post(SelectionEnded()) }

    func removeLastSection() { sections.removeLast() }
}
