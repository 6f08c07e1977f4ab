import Backstitch
import CloudWire

// The root of a share of a single record. CloudKit's shares do not name their root. Instead the root names its share,
// and so do the answers to users who look at an address or accept it (`rootRecordName`). This project's server also has
// the root in the share (`rootRecord`).
//
// The store keeps the root as `rootRecord` in the note of the share, from any of these sources. If the share comes
// again without its root, the note keeps it. A root that comes before its share waits in a note without anything else.

extension WireRecord {
    /// Whether this is the share of a single record.
    var isShareOfRecord: Bool { recordType == WireShare.recordType && recordName != WireShare.zoneShareName }

    /// Whether the record is shared itself, and not with its zone.
    var isRootOfShare: Bool {
        guard let share = sharing?.share.shareID, !deleted else { return false }
        return share.recordName != WireShare.zoneShareName
    }

    /// The name of a share's root, as far as it is known.
    var rootName: String? { share?.rootRecord?.recordName }

    /// The share with this root, unless the share already names its root.
    func knowing(root name: String?) -> WireRecord {
        guard let name, isShareOfRecord, var share, share.rootRecord == nil else { return self }
        share.rootRecord = WireShare.RecordID(recordName: name)
        var record = self
        record.share = share
        return record
    }

    /// A note of a share with nothing but its root.
    static func share(_ name: String, knownByRoot root: String) -> WireRecord {
        var record = WireRecord(recordName: name, recordType: WireShare.recordType)
        record.share = WireShare()
        return record.knowing(root: root)
    }

    /// Whether only the root of a share is known. The user may have no right to see the share.
    var isKnownByRoot: Bool { rootName.map { self == .share(recordName, knownByRoot: $0) } ?? false }
}

extension JournalReading {
    /// A share with its root, as far as the zone's records have named it.
    func withKnownRoot(_ record: WireRecord) throws -> WireRecord {
        guard record.isShareOfRecord, record.rootName == nil else { return record }
        return record.knowing(root: try note(.objectShares, of: record.recordName)?.rootName)
    }
}

extension JournalWriting {
    /// Notes the share of a root.
    ///
    /// - Returns: Whether this changes a share that the user sees.
    func noteRoot(_ root: String, ofShareNamed name: String, _ settings: ApplySettings) throws -> Bool {
        guard var known = try note(.objectShares, of: name) else {
            try setNote(.objectShares, of: name, to: .share(name, knownByRoot: root))
            return false
        }
        guard known.rootName != root else { return false }
        let isSeen = !known.isKnownByRoot
        known.share?.rootRecord = WireShare.RecordID(recordName: root)
        try setNote(.objectShares, of: name, to: known)
        guard isSeen else { return false }
        if settings.isOfOthers { try noteRights(settings) }
        return true
    }
}
