import Backstitch
import Foundation

/// A move requested during another move of the same object.
struct OnwardMove: Codable, Hashable {
    /// The number of the object's zone at the time of the request.
    let from: Int64
    /// The earlier target zones, by their names on the server. The object may pass through each of them.
    let through: Set<String>
    /// The number of the new target zone.
    let to: Int64
}

extension OnwardMove: SyncPropertyValue {
    init(storedForm: Data) throws { self = try JSONDecoder().decode(Self.self, from: storedForm) }
    var storedForm: Data? { get throws { try JSONEncoder().encode(self) } }
}
