import BackstitchSupport
import CloudWire

/// Where a zone is: its name, and its owner where that is not the caller.
struct ZonePlace: Sendable {
    /// Record name of the owner, in the database of what others share with the caller; nil in all others.
    var owner: String?
    var name: String

    var isDefault: Bool { name.isSame(as: ZoneID.defaultZoneName) }

    func isSame(as other: ZonePlace) -> Bool { self == other }

    /// Names the zone among those of one database.
    var key: String { owner.map { "\($0)\u{0}\(name)" } ?? name }
}

/// Compared by bytes, as all names.
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
    var place: ZonePlace { ZonePlace(owner: access?.owner, name: name) }
}
