import CloudWire

/// Where a zone is: its name, and its owner where that is not the caller.
struct ZonePlace: Sendable, Hashable {
    /// Record name of the owner, in the database of what others share with the caller; nil in all others.
    var owner: String?
    var name: String

    var isDefault: Bool { name == ZoneID.defaultZoneName }

    /// Compared by bytes, as all names.
    func isSame(as other: ZonePlace) -> Bool {
        name.utf8.elementsEqual(other.name.utf8)
            && (owner ?? "").utf8.elementsEqual((other.owner ?? "").utf8)
    }

    /// Names the zone among those of one database.
    var key: String { owner.map { "\($0)\u{0}\(name)" } ?? name }
}

extension StoredZone {
    var place: ZonePlace { ZonePlace(owner: access?.owner, name: name) }
}
