import BackstitchSupport
import CloudWire

/// The records of a guest's operations, in a zone that is only partly visible to the guest.
struct GuestView {
    /// The record of one operation, with the guest's rights.
    struct Item {
        let access: SharedAccess
        /// The shares that show the record to the guest.
        let parts: [SharedPart]
        /// The stored record, even if the guest may not see it, or not all of it.
        let stored: StoredRecord?
        /// Whether the record's parent is hidden from the guest.
        let hidesParent: Bool
    }

    private let items: [Item]

    subscript(index: Int) -> Item { items[index] }

    /// Reads the records and their visibility.
    ///
    /// - Parameter seen: The records in the guest's view.
    /// - Returns: nil for a caller who sees the whole zone.
    init?(
        _ zone: StoredZone, _ seen: [StoredRecord?], _ operations: [PreparedOperation], _ reading: ZoneSnapshot
    ) throws {
        guard let access = zone.access, let parts = access.parts else { return nil }
        let names = operations.map(\.name)
        let stored = try reading.records(zone.whole, named: names)
        var shown: [ByteText: Set<Int64>] = [:]
        for entry in try reading.visibility(zone, of: names) where !entry.isGone {
            shown[ByteText(entry.name), default: []].insert(entry.share)
        }
        items = names.indices.map { index in
            let numbers = shown[ByteText(names[index])] ?? []
            return Item(
                access: access, parts: parts.filter { numbers.contains($0.number) }, stored: stored[index],
                hidesParent: seen[index]?.deleted == false && seen[index]?.parent == nil
                    && stored[index]?.parent != nil)
        }
    }
}

extension GuestView.Item {
    /// Checks the guest's right to an operation.
    ///
    /// The new place of a record is checked later, together with all of the request; see
    /// ``ZonePlan/refuseWhatGuestsMayNot()``.
    ///
    /// - Throws: ACCESS_DENIED for an operation that the guest may not do.
    func check(_ operation: PreparedOperation, _ live: StoredRecord?, isShare: Bool) throws(WireError) {
        if isShare { return try checkShare(operation, live) }
        try access.requireWriting()
        if live != nil {
            guard parts.contains(where: { $0.permission == .readWrite }) else {
                throw WireError(.accessDenied, "the owner of the record lets this user read it only")
            }
            if operation.kind.isDeletion, live?.flags.contains(.root) == true {
                throw WireError(
                    .accessDenied, "only the owner may delete the root of a share; to leave the share, delete the share"
                )
            }
        } else if !operation.kind.comparesTag, !operation.kind.isDeletion, stored?.deleted == false {
            throw Self.outside
        }
    }

    /// Checks the guest's right to change or leave a share.
    private func checkShare(_ operation: PreparedOperation, _ live: StoredRecord?) throws(WireError) {
        if operation.kind.isDeletion || live == nil && operation.kind.comparesTag { return }
        guard live != nil, operation.kind != .create, parts.contains(where: { $0.kind == .administrator }) else {
            throw WireError(.accessDenied, "only the owner and administrators may change a share")
        }
    }

    /// The error for a record moved to a place without rights for the guest, or out of the view of others.
    static let outside = WireError(
        .accessDenied,
        "a participant may add records only below the shared records, and must keep them there; name a parent "
            + "that this user may change")

    /// The change, completed with the hidden parts of the record.
    func completed(
        _ change: PlannedChange, of operation: PreparedOperation
    ) throws(ZonePlan.Refusal) -> PlannedChange {
        var change = change
        change.isNew = stored == nil
        change.before = stored.flatMap { $0.deleted ? nil : $0 }
        // A root below the root of another share would become visible there with all its records.
        guard let stored, stored.flags.contains(.root), !change.record.deleted else { return change }
        let isOther = operation.parent.map { hidesParent || !$0.utf8.elementsEqual((stored.parent ?? "").utf8) }
        // A parent hidden from the guest cannot be removed by the guest.
        if isOther ?? (operation.clearsParent && !hidesParent && stored.parent != nil) {
            throw ZonePlan.Refusal(.accessDenied, "only the owner may give the root of a share another parent")
        }
        change.record.parent = stored.parent
        change.hidesParent = hidesParent
        return change
    }
}
