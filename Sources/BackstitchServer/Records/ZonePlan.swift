import BackstitchSupport
import CloudWire

/// The changes that a batch of operations will make to one zone.
///
/// First everything is decided by reading (`decide`, then `settleReferences`). Then everything is written (`commit`).
/// So a failed batch has written nothing.
struct ZonePlan {
    let zone: StoredZone
    /// The storage's history at the time of the plan. The new versions belong to it.
    let history: Int64
    private(set) var atomic: Bool
    /// Whether operations of the request could not be read. They may have belonged to this batch.
    private(set) var fails: Bool
    let scope: RequestScope
    let device: String
    let now: Int64
    /// The last sequence read by the sender; nil if the request has no token of the zone.
    let seen: Int64?
    let shareBudget: ShareBudget
    /// The request's work on entries in indexes of queries.
    let work: QueryKeyWork

    var operations: [PreparedOperation]
    /// The decision about the operation at the same place: a change, or nil for nothing to do.
    var changes: [PlannedChange?]
    /// The failure of the operation at the same place.
    var faults: [(error: WireError, server: StoredRecord?)?]
    /// The shares changed or deleted by the operations.
    var shares: [StoredShare] = []
    /// Deletions that follow from other deletions, from the nearest to the farthest.
    var cascade: [StoredRecord] = []
    /// Shares with deleted roots. Their own records are deleted as well, and are part of `cascade`.
    var endedShares: [StoredShare] = []
    /// Records with a new version because they become roots of shares, or stop being roots.
    var touched: [StoredRecord] = []
    /// The records that become visible or hidden to participants of shares; nil in a zone without shares of records.
    var hierarchy: HierarchyChange?
    /// The guests to tell of the commit; nil for all of them. It is known after the write.
    var guests: [String]?

    init(
        _ operations: [PreparedOperation], zone: StoredZone, history: Int64, atomic: Bool, scope: RequestScope,
        device: String, now: Int64, seen: Int64? = nil, fails: Bool = false, shareBudget: ShareBudget,
        work: QueryKeyWork
    ) {
        self.operations = operations
        self.zone = zone
        self.history = history
        self.atomic = atomic
        self.fails = fails
        self.scope = scope
        self.device = device
        self.now = now
        self.seen = seen
        self.shareBudget = shareBudget
        self.work = work
        changes = Array(repeating: nil, count: operations.count)
        faults = operations.map { operation in operation.fault.map { ($0, nil) } }
    }

    /// Undoes the plan because of operations on other zones of the request.
    mutating func refuseWithOthers() { (fails, atomic) = (true, true) }

    /// Whether any operation has failed, or could not be read.
    var hasFaults: Bool { fails || faults.contains { $0 != nil } }
    /// Whether there is any change to write.
    var hasChanges: Bool { changes.contains { $0 != nil } }

    /// Compares each operation with the stored record, and decides on a change or a failure.
    mutating func decide(_ reading: ZoneSnapshot) throws {
        let stored = try reading.records(zone, named: operations.map(\.name))
        try readShares(stored, reading)
        let view = try GuestView(zone, stored, operations, reading)
        for index in operations.indices where faults[index] == nil {
            do throws(Refusal) {
                changes[index] = try change(operations[index], stored[index], view?[index])
            } catch {
                faults[index] = (error.error, error.server)
            }
        }
        try checkAssets(stored, view, reading)
    }

    /// The reason why an operation is refused, with the server's record in a conflict.
    struct Refusal: Error {
        var error: WireError
        var server: StoredRecord?

        init(_ code: WireErrorCode, _ reason: String, server: StoredRecord? = nil) {
            error = WireError(code, reason)
            self.server = server
        }
    }

    /// Decides on the change of one operation.
    ///
    /// - Parameter view: The caller's rights to the record, if the caller sees only a part of the zone.
    func change(
        _ operation: PreparedOperation, _ stored: StoredRecord?, _ view: GuestView.Item?
    ) throws(Refusal) -> PlannedChange? {
        guard let change = try change(of: operation, stored, view) else { return nil }
        return try view?.completed(change, of: operation) ?? change
    }

    /// Decides on a change, before a guest's view completes it. Nil means that there is nothing to do.
    private func change(
        of operation: PreparedOperation, _ stored: StoredRecord?, _ view: GuestView.Item?
    ) throws(Refusal) -> PlannedChange? {
        let live = stored.flatMap { $0.deleted ? nil : $0 }
        try checkRight(operation, live, view)
        switch operation.kind {
        case .create:
            if let live {
                throw Refusal(.conflict, "record to insert already exists", server: mayRead(live) ? live : nil)
            }
            if let stored, let seen, stored.sequence > seen {
                throw Refusal(.conflict, "record to insert was deleted since it was read", server: stored)
            }
        case .update, .replace:
            guard let stored else { throw Refusal(.notFound, "Record not found") }
            if stored.deleted { throw Refusal(.conflict, "Oplock error updating deleted record", server: stored) }
            try compareTags(operation, stored)
        case .forceUpdate, .forceReplace:
            if live == nil, operation.type == nil {
                throw Refusal(.badRequest, "record '\(operation.name)' needs a recordType to be created")
            }
        case .delete:
            guard let live else {
                guard let stored, stored.movedTo != nil else { throw Refusal(.notFound, "Record not found") }
                throw Refusal(.conflict, "record to delete has moved to another zone", server: stored)
            }
            try compareTags(operation, live)
        case .forceDelete: break
        }
        if isShare(operation, live) { return try shareChange(operation, stored, live) }
        if operation.kind.isDeletion {
            // Only the zone's owner moves objects.
            return live.map { deletion(of: $0, movedTo: zone.access == nil ? operation.movedTo : nil) }
        }
        return try save(operation, stored, live)
    }

    /// Checks the caller's right. It comes first, so a refusal tells nothing about the record.
    private func checkRight(
        _ operation: PreparedOperation, _ live: StoredRecord?, _ view: GuestView.Item?
    ) throws(Refusal) {
        do throws(WireError) {
            if let view {
                try view.check(operation, live, isShare: isShare(operation, live))
            } else if let access = zone.access {
                try access.check(operation)
            }
            if let live, operation.kind != .create {
                try scope.require(.write, type: live.type, creator: live.createdBy)
            } else if live == nil, !operation.kind.comparesTag, !operation.kind.isDeletion {
                try scope.require(.create, type: operation.type, creator: nil)
            }
        } catch { throw Refusal(error.code, error.reason) }
    }

    /// Whether the caller may read a record, and so get it in a conflict.
    private func mayRead(_ record: StoredRecord) -> Bool {
        do throws(WireError) {
            try scope.require(.read, type: record.type, creator: record.createdBy)
            return true
        } catch { return false }
    }

    /// Compares the change tag of an operation with the stored one.
    private func compareTags(_ operation: PreparedOperation, _ stored: StoredRecord) throws(Refusal) {
        guard operation.tag.map({ $0.utf8.elementsEqual(stored.changeTag.utf8) }) ?? false else {
            throw Refusal(
                .conflict,
                operation.tag == nil
                    ? "client oplock error updating record"
                    : "record to update already exists with a different change tag", server: stored)
        }
    }

    /// Plans a save: a new record or a new version of `live`.
    func save(
        _ operation: PreparedOperation, _ stored: StoredRecord?, _ live: StoredRecord?
    ) throws(Refusal) -> PlannedChange {
        if let type = operation.type, let live, let old = live.type, type != old {
            throw Refusal(.badRequest, "record '\(operation.name)' is of type '\(old)', which cannot become '\(type)'")
        }
        // The feed has only the newest version of a record, so followers of the old type would never hear of the
        // deletion.
        if let type = operation.type, live == nil, let old = stored?.type, type != old {
            throw Refusal(
                .badRequest,
                "record '\(operation.name)' was of another type before it was deleted, and cannot become '\(type)'")
        }
        let (bytes, values) = try fields(operation, live)
        if zone.queryIndexes > 0 { work.note(operation.name, of: zone, bytes, values) }
        var record = StoredRecord(
            name: operation.name, type: operation.type ?? live?.type, sequence: 0, deleted: false, flags: [],
            created: live?.created ?? now, createdBy: live?.createdBy ?? scope.user,
            createdOn: live?.createdOn ?? device,
            modified: now, modifiedBy: scope.user,
            parent: operation.parent, fields: bytes)
        if operation.parent == nil, !operation.kind.replacesFields, !operation.clearsParent {
            record.parent = live?.parent
        }
        var change = PlannedChange(
            record: record, before: live, isNew: stored == nil, oldFlags: live?.flags ?? [])
        var count = 0
        for (field, value) in values {
            switch value {
            case .reference, .referenceList:
                for reference in value?.references ?? [] where reference.action != .none {
                    change.references.append(
                        StoredReference(source: record.name, target: reference.recordName, action: reference.action))
                }
            case .asset, .assetList:
                let assets = value?.assets ?? []
                count += assets.count
                for checksum in Set(assets.lazy.compactMap { AssetChecksum(wire: $0.fileChecksum) }) {
                    change.assets.append((field, checksum))
                }
            default: break
            }
        }
        // A record with more assets from earlier can still be saved if the operation sends no asset.
        if !operation.fields.assets.isEmpty,
            let fault = RecordRules.fault(inAssetCount: count, of: operation.name)
        {
            throw Refusal(.badRequest, fault)
        }
        if operation.fields.hasActions,
            let fault = RecordRules.fault(inReferenceCount: change.references.count, of: operation.name)
        {
            throw Refusal(.badRequest, fault)
        }
        if live?.flags.contains(.root) == true { change.record.flags.insert(.root) }
        if !change.references.isEmpty { change.record.flags.insert(.references) }
        if !change.assets.isEmpty { change.record.flags.insert(.assets) }
        return change
    }

    /// The fields of the new version, as JSON and as values.
    private func fields(
        _ operation: PreparedOperation, _ live: StoredRecord?
    ) throws(Refusal) -> ([UInt8], [String: WireValue?]) {
        if let encoded = operation.encoded { return (encoded, operation.fields.values) }
        do {
            let old = try live.map { try WireRecord.Fields(json: $0.fields).values } ?? [:]
            let merged = RecordFields.merge(operation.fields, into: old, keepingOthers: !operation.kind.replacesFields)
            return (try RecordFields.encode(merged, of: operation.name, limit: scope.limits.record), merged)
        } catch let error as WireError {
            throw Refusal(error.code, error.reason)
        } catch {
            throw Refusal(.internalError, "the stored fields of '\(operation.name)' cannot be read: \(error)")
        }
    }

    /// Plans the deletion of a live record.
    func deletion(of live: StoredRecord, movedTo: String? = nil) -> PlannedChange {
        var tombstone = tombstone(of: live)
        tombstone.movedTo = movedTo
        return PlannedChange(record: tombstone, before: live, isNew: false, oldFlags: live.flags)
    }

    /// The tombstone of a live record, written by the caller now.
    func tombstone(of live: StoredRecord) -> StoredRecord {
        var record = live
        // In the public database the tombstone keeps the type: the rights to the type decide about access to the
        // deletion.
        if scope.roles == nil { record.type = nil }
        record.deleted = true
        record.flags = []
        record.modified = now
        record.modifiedBy = scope.user
        record.parent = nil
        record.fields = []
        return record
    }
}
