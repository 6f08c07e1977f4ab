import Backstitch
import Foundation

/// A move that was asked for while its object was on its way to another zone.
struct OnwardMove: Codable, Hashable {
    /// The number of the zone in which the object was then.
    let from: Int64
    /// The zones of the server to which it was to go before, each of which it may come through.
    let through: Set<String>
    /// The number of the zone to which it is to go.
    let to: Int64
}

extension OnwardMove: SyncPropertyValue {
    init(storedForm: Data) throws { self = try JSONDecoder().decode(Self.self, from: storedForm) }
    var storedForm: Data? { get throws { try JSONEncoder().encode(self) } }
}
