import Backstitch
import BackstitchSupport
import CloudWire

extension ShareOperations {
    /// Ends a guest's part in a zone. The effect is the same as deleting all shares through which the guest has it.
    func leave(
        _ place: ZonePlace, _ scope: RequestScope, _ writing: ZoneTransaction, _ budget: ShareBudget
    ) throws(WireError) -> (info: ZoneInfo, pokes: [Poke]) {
        let owner = try WireError.storage { try writing.owner(scope.database) }
        let zone = try scope.requireZone(at: place, owner, writing)
        let pokes = try WireError.storage {
            var locked = try writing.lock(zone)
            locked.access = zone.access
            let everybody = try writing.guests(of: locked)
            // If the owner ended the access during the wait, nothing is left to do.
            var guests: Set<ByteText> = [ByteText(scope.user)]
            let names = try writing.sharesAccepted(locked, by: scope.user)
            try budget.take(shares: names.count)
            for name in names {
                guard let share = try writing.share(of: locked, named: name) else { continue }
                guests.formUnion(
                    try write(share.without(scope.user), before: share, of: locked, scope, writing, budget))
            }
            let audience = zone.access?.parts == nil ? nil : guests.map(\.string).sorted()
            try writing.advanceOwner(of: locked, guests: audience)
            return Poke.all(of: locked, [], to: audience ?? everybody)
        }
        return (ZoneInfo(zoneID: scope.zoneID(place), deleted: true), pokes)
    }

    /// Writes a share after a participant has joined or left.
    ///
    /// The share's record gets a new version in a commit of its own, so that devices notice the change.
    ///
    /// - Returns: The guests to tell, if it is a share of a record.
    func write(
        _ share: StoredShare, before: StoredShare, of zone: StoredZone, _ scope: RequestScope,
        _ writing: ZoneTransaction, _ budget: ShareBudget
    ) throws -> [ByteText] {
        let entry = StoredVisibility(
            share: share.number, name: share.record, sequence: try writing.advance(zone),
            history: server.storage.history,
            isGone: false, changed: server.clock.milliseconds())
        let limits = server.configuration.extendedLimits
        var change = ShareChange(
            zone, from: before, to: share, entry,
            .init(records: limits.page, bytes: limits.bytes, bytesLeft: limits.bytes, budget: budget))
        var guests = try change.write(writing)
        if var record = try writing.records(zone.whole, named: [share.record])[0], !record.deleted {
            record.sequence = entry.sequence
            record.history = entry.history
            record.modified = entry.changed
            record.modifiedBy = scope.user
            try writing.update([record], in: zone)
        }
        guard share.root != nil else { return guests }
        try writing.putVisibility([entry], in: zone)
        try writing.putHead(entry.sequence, ofShares: [share.number], in: zone)
        try change.tellNewParticipants(writing)
        guests += try writing.guests(of: zone, inShares: [share.number]).map({ ByteText($0) })
        return guests
    }
}
