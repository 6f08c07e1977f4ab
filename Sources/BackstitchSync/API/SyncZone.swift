import Backstitch
import CloudWire

/// A zone of a synced store: a set of objects that are sent, read and shared together.
public struct SyncZone: Sendable, Hashable {
    /// The zone's name in the program; empty for the main zone.
    public var name: String
    /// The zone's name on the server.
    public var zoneName: String
    /// The record name of the zone's owner, in a store of the shared database; nil for the user's own zone.
    public var ownerName: String?
    /// Whether it is the main zone, which every store of the private database has.
    public var isMain: Bool { name.isEmpty }

    /// Creates a zone from its names in the program and on the server.
    public init(name: String, zoneName: String, ownerName: String? = nil) {
        (self.name, self.zoneName, self.ownerName) = (name, zoneName, ownerName)
    }
}
