// Two screens that update each other: a message, and the list of contacts.
//
// Neither knows the other. Each asks for the models that it shows, and a change on one shows on the other. When the
// application starts again, the stored models are there at once.
import Grove
import GroveMacros

@Cacheable
struct Contact {
    let id: String
    let name: String
    var isOnline = false
}

@Cacheable
struct Letter {
    let id: String
    let text: String
    let sender: Contact
}

/// The requests to the network.
protocol Mail: Sendable {
    func letter(_ id: String) async throws -> Letter?
    func contacts() async throws -> [Contact]
}

/// The screen of one message.
@MainActor
final class LetterScreen {
    let letter: DataProvider<Letter>
    private let mail: any Mail
    private let id: String

    init(_ id: String, _ manager: DataModelManager, _ mail: any Mail) {
        (self.id, self.mail) = (id, mail)
        letter = DataProvider(dataModelManager: manager)
    }

    /// Shows the stored message at once, and then the network's.
    ///
    /// If there is no network, the stored message stays.
    func open() async {
        _ = try? await letter.load(withCacheKey: "Letter:\(id)") { [mail, id] in try await mail.letter(id) }
    }

    var line: String {
        guard let letter = letter.data else { return "…" }
        return "\(letter.sender.name)\(letter.sender.isOnline ? " (online)" : ""): \(letter.text)"
    }

    /// Corrects the sender's name for the user; the list of contacts shows it too.
    func rename(_ name: String) {
        guard let letter = letter.data else { return }
        let sender = Contact(id: letter.sender.id, name: name, isOnline: letter.sender.isOnline)
        self.letter.setData(Letter(id: letter.id, text: letter.text, sender: sender))
    }
}

/// The screen of all contacts.
@MainActor
final class ContactsScreen {
    let contacts: CollectionDataProvider<Contact>
    private let mail: any Mail

    init(_ manager: DataModelManager, _ mail: any Mail) {
        self.mail = mail
        contacts = CollectionDataProvider(dataModelManager: manager)
    }

    func open() async {
        _ = try? await contacts.load(withCacheKey: "contacts", missing: .skip) { [mail] in try await mail.contacts() }
    }

    /// Marks a contact as online; if a message of the contact is open, its screen shows that.
    func cameOnline(_ id: String) {
        guard let index = contacts.elements.firstIndex(where: { $0.id == id }) else { return }
        contacts.update(Contact(id: id, name: contacts[index].name, isOnline: true), at: index)
    }
}
