import Backstitch
import CloudWire

// A move is refused as a whole if it would leave something unwanted behind.
extension JournalReading {
    /// Checks the objects of a family that would have to leave their zones.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each object that is shared in place. If there
    ///   is none, the same error with a fault for each object with a blocked change.
    func requireMovable(_ family: ObjectFamily, to zone: Int64) throws {
        let places = try zones(of: family.members.map(\.key))
        let moving = family.members.filter { places[$0.key] ?? 0 != zone }
        try refuseShared(moving, places)
        try refuseBlocked(moving)
    }

    private func refuseShared(_ moving: [ObjectID], _ places: [ObjectKey: Int64]) throws {
        var faults: [BackstitchError] = []
        for (zone, ids) in Dictionary(grouping: moving, by: { places[$0.key] ?? 0 }).sorted(by: { $0.key < $1.key }) {
            let shares = try ZoneReader(self, zone).objectShares()
            guard !shares.isEmpty else { continue }
            let names = Set(shares.compactMap(\.rootName))
            let states = try recordStates(for: ids.map(\.key))
            faults += ids.filter { states[$0.key].map { names.contains($0.recordName) } ?? false }.map { id in
                BackstitchError(
                    .invalidRequest,
                    "\(id) is shared in its present zone, and its share would be left without an object; end the "
                        + "share with sync.sharing.stop(_:) before the object moves to another zone", objectID: id)
            }
        }
        try faults.throwAll(as: .invalidRequest, "objects are shared in their present zones:")
    }

    /// An object with a blocked change does not move. The objects below it would move without it.
    private func refuseBlocked(_ moving: [ObjectID]) throws {
        let entries = try outbox(for: moving.map(\.key))
        let faults = moving.compactMap { id in
            entries[id.key].flatMap { $0.kind == .insert ? nil : $0.blockedReason }.map { reason in
                BackstitchError(
                    .invalidRequest,
                    "\(id) has a change that is not sent: \(reason); send it with sync.blocked.retry(_:), or discard "
                        + "it with sync.blocked.discard(_:), before the object moves to another zone", objectID: id)
            }
        }
        try faults.throwAll(as: .invalidRequest, "objects have changes that are not sent:")
    }

    /// Checks the links of a family.
    ///
    /// - Throws: ``BackstitchError/Code/crossZoneRelationship`` with a fault for each link that would lead from one
    ///   zone to another.
    func refuseLinks(of family: ObjectFamily, leavingZone zone: Int64, _ model: SyncedModel) throws {
        let faults = try family.links(leavingZone: zone, in: self, model).map { link in
            BackstitchError(
                .crossZoneRelationship,
                "\(link.source) leads by \(link.property) to \(link.target), and only one of them moves; objects of two "
                    + "zones cannot be related, so move both, or take the link away first",
                objectID: link.source, key: link.property)
        }
        try faults.throwAll(as: .crossZoneRelationship, "links would lead from one zone to another:")
    }
}

extension [BackstitchError] {
    /// Throws the errors as one. Its message begins with their number and these words. Does nothing for an empty list.
    fileprivate func throwAll(as code: BackstitchError.Code, _ words: String) throws {
        guard !isEmpty else { return }
        throw BackstitchError.combining(self, code: code, summary: "\(count) \(words)")
    }
}
