import Backstitch
import Hummingbird

/// The body of a request that makes a list.
struct NewList: Decodable {
    var name: String
}
