import Backstitch
import CloudWire

/// The incarnation of a zone on the server. After a zone was deleted and created again, a missing record does not mean
/// that the record itself was deleted.
enum ZoneLife: Sendable, Hashable {
    /// The server names the incarnation.
    case named(String)
    /// The server does not name it, but the subscription has a mark. The subscription is deleted with its zone, and its
    /// creator marks it.
    case marked(String)
    /// The subscription is gone.
    case unsubscribed
    /// The incarnation cannot be determined.
    case unknown
}
