import Backstitch
import CloudWire

/// Which life of a zone the server has: of a zone that was deleted and made anew, what a client misses was not deleted.
enum ZoneLife: Sendable, Hashable {
    /// The server names it.
    case named(String)
    /// The server does not, but our subscription does, which goes with its zone: whoever makes it marks it.
    case marked(String)
    /// Our subscription has gone.
    case unsubscribed
    /// There is nothing by which one could tell.
    case unknown
}
