import BackstitchSupport
import CloudWire

/// The records that the operations of a guest are about, in a zone of which the guest sees a part.
struct GuestView {
    /// The record of one operation.
    struct Item {
        let access: SharedAccess
        /// The shares by which the guest sees the record.
        let parts: [SharedPart]
        /// The record as it is, which the guest may not see, or not all of it.
        let stored: StoredRecord?
        /// The guest does not see the record's parent.
        let hidesParent: Bool
    }

    private let items: [Item]

    subscript(index: Int) -> Item { items[index] }

    /// - Parameter seen: The records as the guest sees them.
    /// - Returns: Nil for a caller who sees all of the zone.
    init?(
        _ zone: StoredZone, _ seen: [StoredRecord?], _ operations: [PreparedOperation], _ reading: any ZoneReading
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
    /// - Throws: ACCESS_DENIED for an operation that the guest may not do. Where a record may get to is looked at when
    ///   all of the request is known; see ``ZonePlan/refuseWhatGuestsMayNot()``.
    func check(_ operation: PreparedOperation, _ live: StoredRecord?, isShare: Bool) throws(WireError) {
        if isShare { return try checkShare(operation, live) }
        try access.requireWriting()
        if live != nil {
            guard parts.contains(where: { $0.permission == .readWrite }) else {
                throw WireError(.accessDenied, "the owner of the record lets this user read it only")
            }
            if operation.kind.isDeletion, live?.flags.contains(.root) == true {
                throw WireError(
                    .accessDenied, "only the owner deletes the root of a share; to leave the share, delete the share")
            }
        } else if !operation.kind.comparesTag, !operation.kind.isDeletion, stored?.deleted == false {
            throw Self.outside
        }
    }

    private func checkShare(_ operation: PreparedOperation, _ live: StoredRecord?) throws(WireError) {
        if operation.kind.isDeletion || live == nil && operation.kind.comparesTag { return }
        guard live != nil, operation.kind != .create, parts.contains(where: { $0.kind == .administrator }) else {
            throw WireError(.accessDenied, "only the owner and administrators change a share")
        }
    }

    /// For records that a guest would bring to where the guest may change nothing, or take from where others see them.
    static let outside = WireError(
        .accessDenied,
        "a participant adds records below those that are shared, and keeps them there; name a parent that this user may "
            + "change")

    /// The change, with what the guest does not see of the record.
    func completed(
        _ change: PlannedChange, of operation: PreparedOperation
    ) throws(ZonePlan.Refusal) -> PlannedChange {
        var change = change
        change.isNew = stored == nil
        change.before = stored.flatMap { $0.deleted ? nil : $0 }
        // A root that is put below the root of another share would show all of it there.
        guard let stored, stored.flags.contains(.root), !change.record.deleted else { return change }
        let isOther = operation.parent.map { hidesParent || !$0.utf8.elementsEqual((stored.parent ?? "").utf8) }
        // Of a parent that the guest does not see there is nothing to be taken away.
        if isOther ?? (operation.clearsParent && !hidesParent && stored.parent != nil) {
            throw ZonePlan.Refusal(.accessDenied, "only the owner gives the root of a share another parent")
        }
        change.record.parent = stored.parent
        change.hidesParent = hidesParent
        return change
    }
}
