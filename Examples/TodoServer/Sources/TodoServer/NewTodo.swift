import Backstitch
import Foundation
import Hummingbird

/// The body of a request that makes a todo.
struct NewTodo: Decodable {
    var title: String
    var due: Date?
    var list: String?
}
