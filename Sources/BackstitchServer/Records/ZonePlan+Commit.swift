import CloudWire

extension ZonePlan {
    /// Writes the plan as one commit of the zone. Records that go along with deletions and do not fit into it form
    /// commits of their own before it, so that whoever reads in between finds no reference to what has gone.
    ///
    /// - Parameter largest: Most records of a commit, which no page cuts.
    /// - Returns: true when there was anything to write.
    mutating func commit(_ writing: any ZoneWriting, largest: Int) throws -> Bool {
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
            guard let change = changes[index] else { continue }
            if change.isNew { added.append(change.record) } else { changed.append(change.record) }
        }
        changed += stamp(touched[...], sequence)
        changed += stamp(tombstones, sequence)
        try writing.insert(added, into: zone)
        try writing.update(changed, in: zone)
        try writeLinks(writing)
        try writeShares(added + changed + gone, at: sequence, writing, largest: largest)
        // The default zone has no feed, so the feed of zones does not know it either.
        if zone.name != ZoneID.defaultZoneName { try writing.advanceOwner(of: zone, guests: guests) }
        return true
    }

    private func stamp(_ records: ArraySlice<StoredRecord>, _ sequence: Int64) -> [StoredRecord] {
        records.map { record in
            var record = record
            record.sequence = sequence
            record.history = history
            return record
        }
    }

    /// Writes what records refer to, all of it at once: each statement may take a way over a network.
    private func writeLinks(_ writing: any ZoneWriting) throws {
        let changes = changes.compactMap(\.self)
        func old(_ flag: StoredRecord.Flags) -> [String] {
            changes.filter { $0.oldFlags.contains(flag) }.map(\.record.name)
                + cascade.filter { $0.flags.contains(flag) }.map(\.name)
        }
        try writing.setReferences(zone, from: old(.references), changes.flatMap(\.references))
        let uses = changes.flatMap { change in
            change.assets.map { StoredAssetUse(record: change.record.name, field: $0.field, checksum: $0.checksum) }
        }
        try writing.setAssets(zone, of: old(.assets), uses)
    }

    /// How each operation ended, with its place in the request.
    var outcomes: [(index: Int, outcome: RecordOutcome)] {
        let isUndone = atomic && hasFaults
        return operations.indices.map { index in
            let operation = operations[index]
            if let fault = faults[index] {
                return (operation.index, .failed(name: operation.name, fault.error, server: fault.server))
            }
            if isUndone {
                let error = WireError(.atomicError, "another operation of this atomic request failed")
                return (operation.index, .failed(name: operation.name, error, server: nil))
            }
            guard let change = changes[index], !change.record.deleted, !change.isLeaving else {
                return (operation.index, .deleted(operation.name))
            }
            var record = change.record
            if change.hidesParent { record.parent = nil }
            return (operation.index, .saved(record))
        }
    }
}
