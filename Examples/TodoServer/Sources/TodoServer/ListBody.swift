import Backstitch
import Foundation
import Hummingbird

/// A list in the form for clients, with the number of open todos.
struct ListBody: ResponseCodable {
    var id: String
    var name: String
    var open: Int
    var done: Int

    init(_ list: TodoList) {
        id = list.objectID.key.uuidString
        name = list.name
        done = list.todos.count(where: \.isDone)
        open = list.todos.count - done
    }
}
