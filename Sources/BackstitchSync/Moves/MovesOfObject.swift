import Foundation

/// The notes about one object's records, by the numbers of their zones. They are stored together, because
/// each decision about an object needs its records in all zones.
struct MovesOfObject: Codable, Hashable {
    var notes: [Int64: MoveNote] = [:]
}

extension MovesOfObject: SyncPropertyValue {
    init(storedForm: Data) throws { self = try JSONDecoder().decode(Self.self, from: storedForm) }
    var storedForm: Data? { get throws { try JSONEncoder().encode(self) } }
}
