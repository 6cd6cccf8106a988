// The models that the server sends and the screens show.
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

/// A post.
///
/// The posts that the last version of the application stored can be read too. They have only `id`, `author` and
/// `headline`.
@Cacheable
struct Post {
    let id: Int
    let author: Author
    @CacheField(was: "headline") let text: String  // a new name
    var attachment: Attachment?  // added: nil in an old record
    var comments: [Comment] = []  // added: the default value
    var likes = 0
}

/// An attachment of a post; the enum is indirect, since a quoted post may quote another post.
@Cacheable
indirect enum Attachment {
    case photo(URL, caption: String)
    case link(URL)
    case quote(Post)  // a record of its own: it is shown in its newest version, and not at all once it is deleted
}
