import BackstitchSupport
import CloudWire

/// The place of a zone: its name, and its owner if that is not the caller.
struct ZonePlace: Sendable {
    /// The owner's record name for a zone in the caller's shared database; nil in all other databases.
    var owner: String?
    var name: String

    /// Whether it is the default zone.
    var isDefault: Bool { name.isSame(as: ZoneID.defaultZoneName) }

    func isSame(as other: ZonePlace) -> Bool { self == other }

    /// The name of the zone among all zones of one database.
    var key: String { owner.map { "\($0)\u{0}\(name)" } ?? name }
}

/// Places are compared byte by byte, like all names.
extension ZonePlace: Hashable {
    static func == (left: ZonePlace, right: ZonePlace) -> Bool {
        left.name.isSame(as: right.name) && (left.owner ?? "").isSame(as: right.owner ?? "")
    }

    func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        (owner ?? "").hashBytes(into: &hasher)
    }
}

extension StoredZone {
    /// The place of the zone, in the view of the caller.
    var place: ZonePlace { ZonePlace(owner: access?.owner, name: name) }
}
