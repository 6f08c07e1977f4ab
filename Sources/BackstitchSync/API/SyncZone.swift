import Backstitch
import CloudWire

/// A zone of a synced store: objects that are sent, read and, later, shared together.
public struct SyncZone: Sendable, Hashable {
    /// The name that the program has given it; empty for the main zone.
    public var name: String
    /// The name of the zone on the server.
    public var zoneName: String
    /// The record name of the user whose zone it is, in a store of the shared database; nil for a zone of one's own.
    public var ownerName: String?
    /// Whether it is the main zone, which every store of the private database has.
    public var isMain: Bool { name.isEmpty }

    /// A zone of a name in the program, and on the server.
    public init(name: String, zoneName: String, ownerName: String? = nil) {
        (self.name, self.zoneName, self.ownerName) = (name, zoneName, ownerName)
    }
}
