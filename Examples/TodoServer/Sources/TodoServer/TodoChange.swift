import Backstitch
import Foundation
import Hummingbird

/// The body of a request that changes a todo. Missing fields stay unchanged.
struct TodoChange: Decodable {
    /// The revision of the client's last read.
    var revision: Int
    var title: String?
    var isDone: Bool?
    var due: Date?
}
