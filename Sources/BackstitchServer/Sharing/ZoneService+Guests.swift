import Backstitch
import CloudWire

/// The news of zones that are shared, and guests who leave.
extension ZoneService {
    /// The news of a change of a zone for everybody who has it: the owner, and all with whom it is shared.
    ///
    /// - Parameter zone: The zone as it was before the change, whose guests may just have lost it.
    func pokes(
        of zone: StoredZone, _ changes: [RecordChange], _ reading: any ZoneReading
    ) throws -> [Poke] {
        let owner = Poke(
            zone: zone.name, audience: zone.access.map { .owner($0.owner) } ?? .database, changes: changes)
        return [owner] + (try reading.guests(of: zone).map { Poke(zone: zone.name, audience: .guest($0)) })
    }

    /// Ends a guest's part in a zone, as deleting its share does.
    func leave(
        _ place: ZonePlace, _ scope: RequestScope, _ writing: any ZoneWriting
    ) throws(WireError) -> (info: ZoneInfo, pokes: [Poke]) {
        let owner = try stored { try writing.owner(scope.database) }
        let zone = try find(place, owner, scope, writing)
        let pokes = try stored {
            var locked = try writing.lock(zone)
            locked.access = zone.access
            let pokes = try self.pokes(of: locked, [], writing)
            // Where the owner has ended it while this waited, nothing is left to leave.
            guard let share = try writing.share(of: locked)?.without(scope.user) else { return pokes }
            try writing.putShare(share, of: locked)
            try writing.endAccess(to: locked, ofUsers: [scope.user])
            try touch(share, of: locked, by: scope.user, writing)
            try writing.advanceOwner(of: locked)
            return pokes
        }
        return (ZoneInfo(zoneID: scope.zoneID(place), deleted: true), pokes)
    }

    /// Makes the record of a share a new version in a commit of its own, so that devices hear of its participants.
    func touch(
        _ share: StoredShare, of zone: StoredZone, by user: String, _ writing: any ZoneWriting
    ) throws {
        guard var record = try writing.records(zone, named: [share.record])[0], !record.deleted else { return }
        record.sequence = try writing.advance(zone)
        record.history = storage.history
        record.modified = clock.milliseconds()
        record.modifiedBy = user
        try writing.update([record], in: zone)
    }
}
