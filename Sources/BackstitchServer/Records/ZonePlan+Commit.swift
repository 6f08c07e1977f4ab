import BackstitchSupport
import CloudWire

extension ZonePlan {
    /// The users whose quotas the plan may fill: the caller and the makers of the changed records. If it changes
    /// shares, the zone's owner is one too.
    var payers: [String] {
        var payers: Set<ByteText> = [ByteText(scope.user)]
        if changesShares, let access = zone.access { payers.insert(ByteText(access.owner)) }
        for index in changes.indices {
            if let maker = changes[index]?.record.createdBy { payers.insert(ByteText(maker)) }
        }
        return payers.map(\.string)
    }

    /// Writes the plan as one commit of the zone.
    ///
    /// Records deleted along with others may be too many for one commit. Some then form earlier commits of their own,
    /// the farthest first. So a reader in between finds no reference to a deleted record.
    ///
    /// - Parameter largest: The maximum number of records in a commit. No page cuts a commit.
    /// - Returns: true if anything was written.
    mutating func commit(_ writing: ZoneTransaction, largest: Int) throws -> Bool {
        if atomic, hasFaults { return false }
        guard hasChanges else { return false }
        // The records farthest from the deletion go first.
        var tombstones = cascade.reversed().map(tombstone)[...]
        var gone: [StoredRecord] = []
        while changes.count + tombstones.count > largest, !tombstones.isEmpty {
            let part = stamp(tombstones.prefix(largest), try writing.advance(zone))
            try writing.update(part, in: zone)
            tombstones = tombstones.dropFirst(largest)
            gone += part
        }
        let sequence = try writing.advance(zone)
        var added: [StoredRecord] = []
        var changed: [StoredRecord] = []
        for index in changes.indices {
            changes[index]?.record.sequence = sequence
            changes[index]?.record.history = history
            guard let record = changes[index]?.record else { continue }
            if changes[index]?.isNew == true { added.append(record) } else { changed.append(record) }
        }
        changed += stamp(touched[...], sequence)
        changed += stamp(tombstones, sequence)
        try writing.insert(added, into: zone, work)
        try writing.update(changed, in: zone, work)
        try writeLinks(writing)
        try writeShares(added + changed + gone, at: sequence, writing, largest: largest)
        // The default zone has no feed, so its changes are not in the feed of zones.
        if zone.name != ZoneID.defaultZoneName { try writing.advanceOwner(of: zone, guests: guests) }
        return true
    }

    /// Records with the sequence of a commit, and the present history.
    private func stamp(_ records: ArraySlice<StoredRecord>, _ sequence: Int64) -> [StoredRecord] {
        records.map { record in
            var record = record
            record.sequence = sequence
            record.history = history
            return record
        }
    }

    /// Writes references and uses of assets, all together: each statement may cross a network.
    private func writeLinks(_ writing: ZoneTransaction) throws {
        func old(_ flag: StoredRecord.Flags) -> [String] {
            changes.indices.compactMap {
                changes[$0]?.oldFlags.contains(flag) == true ? changes[$0]?.record.name : nil
            } + cascade.filter { $0.flags.contains(flag) }.map(\.name)
        }
        // By index: copying a change costs a reference count for each of its parts, and most changes have no links.
        var references: [StoredReference] = [], uses: [StoredAssetUse] = []
        for index in changes.indices {
            if let more = changes[index]?.references, !more.isEmpty { references += more }
            guard let assets = changes[index]?.assets, !assets.isEmpty, let name = changes[index]?.record.name else {
                continue
            }
            uses += assets.map { StoredAssetUse(record: name, field: $0.field, checksum: $0.checksum) }
        }
        try writing.setReferences(zone, from: old(.references), references)
        try writing.setAssets(zone, of: old(.assets), uses)
    }

    /// The outcome of each operation, with its place in the request.
    var outcomes: [(index: Int, outcome: RecordOutcome)] {
        let isUndone = atomic && hasFaults
        return operations.indices.map { index in
            let (place, name) = (operations[index].index, operations[index].name)
            if let fault = faults[index] {
                return (place, .failed(name: name, fault.error, server: fault.server))
            }
            if isUndone {
                let error = WireError(.atomicError, "another operation of this atomic request failed")
                return (place, .failed(name: name, error, server: nil))
            }
            guard var record = changes[index]?.record, !record.deleted, changes[index]?.isLeaving != true else {
                return (place, .deleted(name))
            }
            if changes[index]?.hidesParent == true { record.parent = nil }
            return (place, .saved(record))
        }
    }
}
