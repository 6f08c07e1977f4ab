import Backstitch
import Foundation
import Hummingbird

/// The body of a request that changes a todo. Fields that are left out stay as they are.
struct TodoChange: Decodable {
    /// The revision that the client has seen.
    var revision: Int
    var title: String?
    var isDone: Bool?
    var due: Date?
}
