// What the server sends and the screens show.
import Foundation
import GroveMacros

@Cacheable
struct Author {
    let id: Int
    let name: String
}

@Cacheable
struct Comment {
    let id: Int
    let text: String
    let author: Author
}

/// A post; those that the last version of the application stored, with `id`, `author` and `headline` alone, are read too.
@Cacheable
struct Post {
    let id: Int
    let author: Author
    @CacheField(was: "headline") let text: String  // a new name
    var attachment: Attachment?  // added: nil in an old record
    var comments: [Comment] = []  // added: the default value
    var likes = 0
}

/// A post may quote a post, which may quote another: the enum between them is indirect.
@Cacheable
indirect enum Attachment {
    case photo(URL, caption: String)
    case link(URL)
    case quote(Post)  // a record of its own: it is shown in its newest version, and not at all once it is deleted
}
