import Backstitch
import Hummingbird

/// The filter for a list of todos: `?done=false&search=milk&list=…&limit=20`.
struct TodoQuery: Decodable {
    var done: Bool?
    var search: String?
    var list: String?
    var limit: Int?
}
