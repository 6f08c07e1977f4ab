import Backstitch
import CloudWire

// The shares of a zone in the store's memory: the participants of the zone or of single objects, and this user's rights
// in another user's zone.

extension SyncProperty where Value == WireRecord {
    /// The record of the zone's share. The names of the other shares' notes begin with this name.
    static var share: Self { Self(name: "sync.share") }
}

extension SyncNotes where Subject == String, Value == WireRecord {
    /// The records of the shares of single objects, by their names.
    static var objectShares: Self { Self(prefix: SyncProperty.share.name + "/") }
}

extension JournalReading {
    /// The records of the shares of the zone's objects, in the order of their names.
    func objectShares() throws -> [WireRecord] {
        try notes(.objectShares).map(\.value).filter { !$0.isKnownByRoot }
    }

    /// The records of the zone's share and of its objects' shares, in the order of their names.
    func allShares() throws -> [WireRecord] {
        // One read is enough: all these names have the same prefix.
        try metadata(withPrefix: SyncProperty.share.name).compactMap { try WireRecord(storedForm: $0.value) }
            .filter { !$0.isKnownByRoot }
    }

    /// Whether the user may change everything in a zone.
    func mayWriteAll(inZone zone: Int64) throws -> Bool {
        try !readOnlyZones().contains(zone) && sharedRoots()[zone] == nil
    }
}

extension JournalWriting {
    /// Notes the shares in a page, or their ends.
    ///
    /// - Parameter told: The changes of the page's records.
    /// - Parameter isSweeping: Whether everything is read again. Shares missing from the whole read are then removed at
    ///   its end, see ``keepObjectShares(metIn:_:)``.
    /// - Returns: Whether a share has changed.
    func noteShares(
        in page: FetchedPage, _ told: [RemoteChange], isSweeping: Bool, _ settings: ApplySettings
    ) throws -> Bool {
        // A read from the beginning brings the zone's share, or there is none.
        if page.base == nil {
            for (name, _) in try metadata(withPrefix: SyncProperty.share.name)
            where !isSweeping || name == SyncProperty.share.name { try setMetadata(nil, for: name) }
        }
        var isNew = false
        // Most pages have objects only.
        let others = told.count == page.records.count ? [] : page.records.filter(\.isNoObject)
        if let record = others.last(where: { $0.recordName == WireShare.zoneShareName }) {
            isNew = try noteShare(record.deleted ? nil : record, named: record.recordName, settings)
        }
        let begun = others.filter(\.isShareOfRecord)
        // A deletion has no record type. Records of objects have other names.
        let gone = told.indices.filter { told[$0].isForeign && told[$0].record == nil }.map { told[$0] }
        for place in page.records.indices where page.records[place].isRootOfShare {
            let root = page.records[place]
            guard let share = root.share?.shareID?.recordName else { continue }
            if try noteRoot(root.recordName, ofShareNamed: share, settings) { isNew = true }
        }
        guard !begun.isEmpty || !gone.isEmpty else { return isNew }
        let known = Set(try subjects(of: .objectShares))
        for record in begun {
            if try noteShare(record.deleted ? nil : record, named: record.recordName, settings) { isNew = true }
        }
        for change in gone where known.contains(change.name) {
            if try noteShare(nil, named: change.name, settings) { isNew = true }
        }
        return isNew
    }

    /// Forgets shares of objects not met by a full fetch.
    ///
    /// - Returns: Whether there were any.
    func keepObjectShares(metIn seen: Set<ObjectKey>, _ settings: ApplySettings) throws -> Bool {
        let gone = try subjects(of: .objectShares).filter {
            !seen.contains(RecordName.key(of: $0, zone: settings.zone).key)
        }
        var isNew = false
        for name in gone where try noteShare(nil, named: name, settings) { isNew = true }
        return isNew
    }

    /// Notes a share as the server has it; nil for none.
    ///
    /// - Returns: Whether the share has changed.
    func noteShare(_ record: WireRecord?, named name: String, _ settings: ApplySettings) throws -> Bool {
        let isNew: Bool
        if name == WireShare.zoneShareName {
            isNew = try value(of: .share) != record
            if isNew { try set(.share, to: record) }
        } else {
            let known = try note(.objectShares, of: name), root = known?.rootName
            // A guest may come back. The server then does not tell again of records that stayed visible, so the root is
            // kept.
            let rest = settings.isOfOthers ? root.map { WireRecord.share(name, knownByRoot: $0) } : nil
            let new = record?.knowing(root: root) ?? rest
            if known != new { try setNote(.objectShares, of: name, to: new) }
            isNew = known != new && (record != nil || known?.isKnownByRoot == false)
        }
        if settings.isOfOthers { try noteRights(settings) }
        return isNew
    }

    /// Makes saves respect the rights from the shares of another user's zone.
    func noteRights(_ settings: ApplySettings) throws {
        let shares = try allShares()
        var roots = SharedRoots()
        for record in shares {
            guard let share = record.share, let root = record.rootName else { continue }
            roots.rights[RecordName.key(of: root, zone: settings.zone).key] = SharedRoots.Rights(
                mayWrite: share.currentUserParticipant?.permission == .readWrite,
                administers: share.currentUserParticipant?.type == .administrator)
        }
        let whole = shares.first { $0.recordName == WireShare.zoneShareName }
        let mayWrite = whole?.share?.currentUserParticipant?.permission == .readWrite
        try setSharedRoots(roots.isEmpty ? nil : roots, zone: settings.zoneNumber)
        try setReadOnly(!mayWrite && roots.isEmpty, zone: settings.zoneNumber)
    }
}
