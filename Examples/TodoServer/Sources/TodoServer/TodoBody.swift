import Backstitch
import Foundation
import Hummingbird

/// A todo in the form for clients.
struct TodoBody: ResponseCodable {
    var id: String
    var title: String
    var isDone: Bool
    var due: Date?
    var revision: Int
    var list: String?

    init(_ todo: Todo) {
        id = todo.objectID.key.uuidString
        title = todo.title
        isDone = todo.isDone
        due = todo.due
        revision = todo.revision
        list = todo.list?.objectID.key.uuidString
    }
}
