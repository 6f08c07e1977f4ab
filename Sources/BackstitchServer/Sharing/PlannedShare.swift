import CloudWire

/// The change of a share that goes with the change of its record.
enum PlannedShare: Sendable {
    /// It is made or changed; some users take part no more.
    case put(StoredShare, ended: [String])
    /// It ends, for all.
    case end(guests: [String])
    /// A guest leaves it.
    case leave(StoredShare, user: String)
}

extension ZonePlan {
    /// The change of a share by its owner, an administrator, or a guest who leaves.
    func shareChange(
        _ operation: PreparedOperation, _ stored: StoredRecord?, _ live: StoredRecord?
    ) throws(Refusal) -> PlannedChange? {
        guard zone.name != ZoneID.defaultZoneName, scope.database.scope != .public else {
            throw Refusal(.badRequest, "only a zone that was made can be shared, not the default zone")
        }
        if operation.kind.isDeletion {
            guard let live else { return nil }
            return zone.access == nil ? endOfShare(live) : try leaving(live)
        }
        guard let prepared = operation.share else {
            throw Refusal(.internalError, "share '\(operation.name)' was not prepared")
        }
        var change = try save(operation, stored, live)
        do throws(WireError) {
            let before = live == nil ? nil : share
            let after = try (before ?? StoredShare(prepared)).changed(by: prepared)
            let staying = Set(after.guests)
            change.share = .put(after, ended: (before?.guests ?? []).filter { !staying.contains($0) })
        } catch { throw Refusal(error.code, error.reason) }
        return change
    }

    private func endOfShare(_ live: StoredRecord) -> PlannedChange {
        var change = deletion(of: live)
        change.share = .end(guests: share?.guests ?? [])
        return change
    }

    private func leaving(_ live: StoredRecord) throws(Refusal) -> PlannedChange {
        guard let share else { throw Refusal(.notFound, "Record not found") }
        var record = live
        record.modified = now
        record.modifiedBy = scope.user
        var change = PlannedChange(record: record, before: live, isNew: false, oldFlags: live.flags)
        change.share = .leave(share.without(scope.user), user: scope.user)
        return change
    }

    /// Writes what becomes of the zone's share.
    func writeShare(_ writing: any ZoneWriting) throws {
        for case let change? in changes {
            switch change.share {
            case .put(let share, let ended):
                try writing.putShare(share, of: zone)
                if !ended.isEmpty { try writing.endAccess(to: zone, ofUsers: ended) }
            case .end(let guests):
                try writing.endAccess(to: zone, ofUsers: guests)
                try writing.removeShare(of: zone)
            case .leave(let share, let user):
                try writing.putShare(share, of: zone)
                try writing.endAccess(to: zone, ofUsers: [user])
            case nil: continue
            }
        }
    }
}

extension SharedAccess {
    /// - Throws: ACCESS_DENIED for a guest who may only read.
    func requireWriting() throws(WireError) {
        guard permission == .readWrite else {
            throw WireError(.accessDenied, "the owner of the zone lets this user read it only")
        }
    }

    /// - Throws: ACCESS_DENIED for an operation that a guest may not do. Every guest may delete the share, which is to
    ///   leave it; administrators may change it.
    func check(_ operation: PreparedOperation) throws(WireError) {
        guard operation.isShare else { return try requireWriting() }
        if operation.kind.isDeletion { return }
        guard kind == .administrator, operation.kind != .create else {
            throw WireError(.accessDenied, "only the owner and administrators change a share")
        }
    }
}
