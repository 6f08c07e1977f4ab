import BackstitchSupport
import CloudWire

/// The part of a plan for shares of records.
extension ZonePlan {
    /// The maximum number of rounds. In each, operations may fail because of others that have failed.
    private static let rounds = 8

    /// Finds the consequences of the operations for references, for shares whose roots are deleted, and for the
    /// visibility of records.
    mutating func settle(_ reading: ZoneSnapshot) throws {
        for _ in 0..<Self.rounds {
            try settleReferences(reading)
            guard hasChanges, zone.sharing.contains(.records) || beginsShareOfRecord else { return }
            try endSharesOfDeletedRoots(reading)
            try markRoots(reading)
            if atomic, hasFaults { return }
            hierarchy = try hierarchyChange(reading)
            guard refuseWhatGuestsMayNot(), !atomic else { return }
        }
        throw WireError(
            .badRequest, "the operations of this request depend on each other too deeply; send them in several requests"
        )
    }

    /// Whether a share of a record begins with the plan.
    private var beginsShareOfRecord: Bool { changes.contains { $0?.share?.beginsOfRecord == true } }

    /// The shares that end with the plan.
    private var ended: [StoredShare] {
        changes.compactMap { change in change?.share.flatMap { $0.after == nil ? $0.before : nil } } + endedShares
    }

    /// Ends the shares whose roots are deleted. Their own records are deleted too.
    private mutating func endSharesOfDeletedRoots(_ reading: ZoneSnapshot) throws {
        endedShares = []
        let roots =
            changes.compactMap { $0?.record.deleted == true ? $0?.before : nil }.filter { $0.flags.contains(.root) }
            + cascade.filter { $0.flags.contains(.root) }
        guard !roots.isEmpty else { return }
        let shares = try reading.shares(of: zone, named: [], ofRoots: roots.map(\.name))
        let records = try reading.records(zone.whole, named: shares.map(\.record))
        for (share, record) in zip(shares, records) {
            if let index = changes.firstIndex(where: { $0?.record.name.utf8.elementsEqual(share.record.utf8) ?? false })
            {
                if changes[index]?.record.deleted == true { continue }
                fail(index, .notFound, "Cannot share - no such record exists to share")
            }
            endedShares.append(share)
            if let record, !record.deleted { cascade.append(record) }
        }
    }

    /// Gives the roots of shares that begin or end a new version with the right flag.
    private mutating func markRoots(_ reading: ZoneSnapshot) throws {
        touched = []
        try refuseShares(reading)
        var isRoot: [ByteText: Bool] = [:]
        for case let share? in changes.map({ $0?.share }) {
            if share.after == nil, let root = share.before?.root { isRoot[ByteText(root)] = false }
        }
        for case let share? in changes.map({ $0?.share }) where share.beginsOfRecord {
            if let root = share.after?.root { isRoot[ByteText(root)] = true }
        }
        guard !isRoot.isEmpty else { return }
        for index in changes.indices {
            guard let change = changes[index], let mark = isRoot.removeValue(forKey: ByteText(change.record.name)),
                !change.record.deleted
            else { continue }
            changes[index]?.record.flags.formSymmetricDifference(
                change.record.flags.contains(.root) == mark ? [] : .root)
        }
        let gone = Set(cascade.map { ByteText($0.name) })
        let others = isRoot.keys.filter { !gone.contains($0) }.map(\.string).sorted()
        for case var record? in try reading.records(zone.whole, named: others) where !record.deleted {
            record.flags.remove(.root)
            if isRoot[ByteText(record.name)] == true { record.flags.insert(.root) }
            record.modified = now
            record.modifiedBy = scope.user
            touched.append(record)
        }
    }

    /// Fails shares of missing or already shared records, and shares beyond the limit of the zone.
    private mutating func refuseShares(_ reading: ZoneSnapshot) throws {
        let begun = changes.indices.filter { changes[$0]?.share?.beginsOfRecord == true }
        guard !begun.isEmpty else { return }
        let roots = begun.compactMap { changes[$0]?.share?.after?.root }
        let stored = Dictionary(
            zip(roots.map({ ByteText($0) }), try reading.records(zone.whole, named: roots))
        ) { first, _ in first }
        let ends = Set(ended.map(\.number))
        var taken = Set(
            try reading.shareNumbers(zone, ofRoots: roots).filter { !ends.contains($0.number) }
                .map { ByteText($0.root) })
        var count = try reading.shareCount(zone) - ends.count
        let sharesAll = changes.contains { $0?.share?.before == nil && $0?.share?.after.map { $0.root == nil } == true }
        let gone = Set(cascade.map { ByteText($0.name) })
        for (index, root) in zip(begun, roots) {
            let planned = changes.first { $0?.record.name.utf8.elementsEqual(root.utf8) ?? false } ?? nil
            let before = stored[ByteText(root)] ?? nil
            let record = planned?.record ?? before
            count += 1
            if sharesAll {
                fail(index, .badRequest, "the request shares the zone as a whole, so its records cannot be shared too")
            } else if record?.deleted ?? true || gone.contains(ByteText(root)) {
                fail(index, .notFound, "Cannot share - no such record exists to share")
            } else if record?.type == WireShare.recordType {
                fail(index, .badRequest, "record '\(root)' is a share, which cannot be shared")
            } else if planned == nil, let tag = operations[index].share?.root?.recordChangeTag, tag != before?.changeTag
            {
                fail(index, .conflict, "record '\(root)' to share exists with a different change tag")
            } else if !taken.insert(ByteText(root)).inserted {
                fail(index, .badRequest, "record '\(root)' is shared already")
            } else if count > StoredShare.mostInZone {
                fail(
                    index, .badRequest,
                    "\(WireError.limitExceededPrefix): a zone has at most \(StoredShare.mostInZone) shares of records")
            }
        }
    }

    /// A temporary number for the share begun by an operation, until it gets its own.
    private func stand(in index: Int) -> Int64 { -1 - Int64(index) }

    /// Collects all changed records, and finds the effect on the visibility of records.
    private func hierarchyChange(_ reading: ZoneSnapshot) throws -> HierarchyChange {
        var begun: [ByteText: Int64] = [:]
        var all: [HierarchyChange.Change] = []
        for (index, change) in changes.enumerated() {
            guard let change else { continue }
            let record = change.record, before = change.before, share = change.share?.after
            if change.share?.beginsOfRecord == true, let root = share?.root { begun[ByteText(root)] = stand(in: index) }
            all.append(
                HierarchyChange.Change(
                    name: record.name, isLive: !record.deleted, parent: record.parent,
                    isElsewhere: before == nil || record.deleted || isOther(record, than: before),
                    isRoot: record.flags.contains(.root),
                    share: share?.root == nil ? nil : change.share?.before?.number ?? stand(in: index), index: index))
        }
        for record in touched {
            all.append(
                HierarchyChange.Change(
                    name: record.name, isLive: true, parent: record.parent, isElsewhere: true,
                    isRoot: record.flags.contains(.root)))
        }
        for record in cascade {
            all.append(
                HierarchyChange.Change(name: record.name, isLive: false, isElsewhere: true, isRoot: false))
        }
        return try HierarchyChange(all, begun: begun, ended: Set(ended.map(\.number)), in: zone, reading)
    }

    /// Whether a record has another parent than before, or begins or ends to be a root.
    private func isOther(_ record: StoredRecord, than before: StoredRecord?) -> Bool {
        record.flags.contains(.root) != before?.flags.contains(.root)
            || record.parent.map({ ByteText($0) }) != before?.parent.map({ ByteText($0) })
    }

    /// Fails operations beyond the guest's rights.
    ///
    /// A record must not get to a place without write permission, nor leave a share that the guest does not administer.
    /// A hidden record must not become visible to the guest.
    ///
    /// - Returns: Whether any operation failed.
    mutating func refuseWhatGuestsMayNot() -> Bool {
        guard let parts = zone.access?.parts, let hierarchy else { return false }
        let mine = Set(parts.map(\.number))
        let writable = Set(parts.lazy.filter { $0.permission == .readWrite }.map(\.number))
        let administered = Set(parts.lazy.filter { $0.kind == .administrator }.map(\.number))
        var refused: Set<Int> = []
        for record in hierarchy.written {
            guard let index = record.cause, let change = changes[index], change.share == nil, !change.record.deleted
            else { continue }
            let leaves = record.before.subtracting(record.after)
            if record.after.isDisjoint(with: writable) || !leaves.isSubset(of: administered) { refused.insert(index) }
        }
        for record in hierarchy.moved {
            guard let index = record.cause, !record.after.isSubset(of: record.before) else { continue }
            // A hidden record must not become visible to the guest. Below a newly made record, nothing placed there by
            // others may become visible: the guest's rights may differ in the new place.
            let comesIntoSight = record.before.isDisjoint(with: mine) && !record.after.isDisjoint(with: mine)
            if comesIntoSight || changes[index]?.before == nil { refused.insert(index) }
        }
        let outside = GuestView.Item.outside
        for index in refused { fail(index, outside.code, outside.reason) }
        return !refused.isEmpty
    }
}

/// Writing the shares of a plan.
extension ZonePlan {
    /// Writes the changes of shares and of the visibility of records, and finds the guests to tell.
    ///
    /// - Parameter records: The written records, with their sequences.
    mutating func writeShares(
        _ records: [StoredRecord], at sequence: Int64, _ writing: ZoneTransaction, largest: Int
    ) throws {
        guard hierarchy != nil || changes.contains(where: { $0?.share != nil }) else { return }
        var numbers: [Int64: Int64] = [:]
        let entry = StoredVisibility(
            share: 0, name: "", sequence: sequence, history: history, isGone: false, changed: now)
        let written = records.reduce(0) { $0 + $1.weight }
        let room = ShareChange.Room(
            records: largest, bytes: scope.limits.bytes, bytesLeft: max(scope.limits.bytes - written, 0),
            budget: shareBudget)
        var shareChanges: [ShareChange] = endedShares.map { ShareChange(zone, from: $0, to: nil, entry, room) }
        for (index, change) in changes.enumerated() {
            guard let share = change?.share else { continue }
            var after = share.after
            if share.beginsOfRecord {
                // Both the sequence in a zone and the place in a request are unique.
                let number = sequence << 20 | Int64(index)
                numbers[stand(in: index)] = number
                after?.number = number
            }
            shareChanges.append(ShareChange(zone, from: share.before, to: after, entry, room))
        }
        var users: Set<ByteText> = []
        for index in shareChanges.indices { users.formUnion(try shareChanges[index].write(writing)) }
        guard let hierarchy else { return }
        let sequences = Dictionary(records.map { (ByteText($0.name), $0.sequence) }) { first, _ in first }
        var log = VisibilityLog(entry, room, numbers: numbers)
        for record in hierarchy.written {
            log.add(record, at: sequences[ByteText(record.name)] ?? sequence)
        }
        try log.move(hierarchy.moved) { try writing.advance(zone) }
        try log.write(in: zone, writing)
        for change in shareChanges { try change.tellNewParticipants(writing) }
        users.formUnion(try writing.guests(of: zone, inShares: log.shares).map({ ByteText($0) }))
        guests = users.map(\.string).sorted()
    }
}
