import Backstitch
import Foundation
import Hummingbird

/// A todo as clients see it.
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

/// A list as clients see it, with how much is left to do.
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

/// The body of a request that makes a list.
struct NewList: Decodable {
    var name: String
}

/// The body of a request that makes a todo.
struct NewTodo: Decodable {
    var title: String
    var due: Date?
    var list: String?
}

/// The body of a request that changes a todo. Fields that are left out stay as they are.
struct TodoChange: Decodable {
    /// The revision that the client has seen.
    var revision: Int
    var title: String?
    var isDone: Bool?
    var due: Date?
}

/// Which todos: `?done=false&search=milk&list=…&limit=20`.
struct TodoQuery: Decodable {
    var done: Bool?
    var search: String?
    var list: String?
    var limit: Int?
}
