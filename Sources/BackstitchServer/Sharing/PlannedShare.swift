import CloudWire

/// The change of a share, together with the change of its record. It is a class to keep plans small: few changes have
/// one.
final class PlannedShare: Sendable {
    /// The share before the change; nil for a new share.
    let before: StoredShare?
    /// The share after the change; nil for a share that ends for everyone.
    let after: StoredShare?
    /// Whether a guest leaves the share.
    let isLeaving: Bool

    init(before: StoredShare?, after: StoredShare? = nil, isLeaving: Bool = false) {
        (self.before, self.after, self.isLeaving) = (before, after, isLeaving)
    }

    /// Whether a share of a single record begins.
    var beginsOfRecord: Bool { before == nil && after?.root != nil }
}

extension ZonePlan {
    /// Whether the participants of any share change.
    var changesShares: Bool { changes.contains { $0?.share != nil } }

    /// Reads the shares that the operations change or delete.
    mutating func readShares(_ stored: [StoredRecord?], _ reading: ZoneSnapshot) throws {
        guard zone.sharing.contains(.shared) else { return }
        let names = operations.indices.filter { operations[$0].isShare || stored[$0].map(ShownShare.isShare) ?? false }
        shares = try reading.shares(of: zone, named: names.map { operations[$0].name }, ofRoots: [])
    }

    /// Whether an operation changes or deletes a share.
    func isShare(_ operation: PreparedOperation, _ live: StoredRecord?) -> Bool {
        operation.isShare || live.map(ShownShare.isShare) ?? false
    }

    /// Plans the change of a share by its owner, by an administrator, or by a guest who leaves.
    func shareChange(
        _ operation: PreparedOperation, _ stored: StoredRecord?, _ live: StoredRecord?
    ) throws(Refusal) -> PlannedChange? {
        guard zone.name != ZoneID.defaultZoneName, scope.database.scope != .public else {
            throw Refusal(.badRequest, "only a zone that was made can be shared, not the default zone")
        }
        let share = shares.first { $0.record.utf8.elementsEqual(operation.name.utf8) }
        if operation.kind.isDeletion {
            guard let live else { return nil }
            guard zone.access != nil else {
                var change = deletion(of: live)
                change.share = PlannedShare(before: share)
                return change
            }
            return try leaving(live, share)
        }
        guard let prepared = operation.share else {
            throw Refusal(
                .badRequest, "record '\(operation.name)' is a share: give it the recordType '\(WireShare.recordType)'"
            )
        }
        let before = live == nil ? nil : share
        if before == nil { try checkKind(prepared, operation.name) }
        if let before, let root = prepared.root, before.root?.utf8.elementsEqual(root.recordName.utf8) != true {
            throw Refusal(.badRequest, "share '\(operation.name)' cannot become the share of another record")
        }
        var change = try save(operation, stored, live)
        do throws(WireError) {
            let after = try (before ?? StoredShare(prepared, record: operation.name)).changed(by: prepared)
            change.share = PlannedShare(before: before, after: after)
        } catch { throw Refusal(error.code, error.reason) }
        return change
    }

    /// Refuses to mix both kinds of sharing: either the whole zone is shared, or single records of it.
    private func checkKind(_ prepared: PreparedShare, _ name: String) throws(Refusal) {
        if name == WireShare.zoneShareName {
            guard !zone.sharing.contains(.records) else {
                throw Refusal(.badRequest, "records of the zone are shared, so it cannot be shared as a whole")
            }
        } else if prepared.root == nil {
            throw Refusal(
                .badRequest,
                "share '\(name)' needs forRecord, the record that it shares; the share of a whole zone has the name "
                    + "'\(WireShare.zoneShareName)'")
        } else if zone.sharing.contains(.shared), !zone.sharing.contains(.records) {
            throw Refusal(.badRequest, "the zone is shared as a whole, so its records cannot be shared one by one")
        }
    }

    /// Plans the end of a guest's part. The record of the share stays and gets a new version.
    private func leaving(_ live: StoredRecord, _ share: StoredShare?) throws(Refusal) -> PlannedChange {
        guard let share else { throw Refusal(.notFound, "Record not found") }
        var record = live
        record.modified = now
        record.modifiedBy = scope.user
        var change = PlannedChange(record: record, before: live, isNew: false, oldFlags: live.flags)
        change.share = PlannedShare(before: share, after: share.without(scope.user), isLeaving: true)
        return change
    }
}

extension SharedAccess {
    /// - Throws: ACCESS_DENIED for a guest who may only read.
    func requireWriting() throws(WireError) {
        guard permission == .readWrite else {
            throw WireError(.accessDenied, "the owner of the zone lets this user read it only")
        }
    }

    /// Checks a guest's operation. Every guest may delete the share, which means to leave it. Administrators may change
    /// it.
    ///
    /// - Throws: ACCESS_DENIED for an operation that the guest may not do.
    func check(_ operation: PreparedOperation) throws(WireError) {
        guard operation.isShare else { return try requireWriting() }
        if operation.kind.isDeletion { return }
        guard kind == .administrator, operation.kind != .create else {
            throw WireError(.accessDenied, "only the owner and administrators may change a share")
        }
    }
}
