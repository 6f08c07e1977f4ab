import Backstitch
import CloudWire

// The root of a share of a single record. Nothing in CloudKit's shares says which record that is: the root names its
// share, and so do the answers to those who look at an address or accept it (`rootRecordName`). This project's server
// has it in the share too (`rootRecord`). The store keeps it there in the note of the share, wherever it was told, and
// a share that is told anew without it keeps it. A root that is told before its share waits in a note that has nothing
// else.

extension WireRecord {
    /// Whether it is the share of a single record.
    var isShareOfRecord: Bool { recordType == WireShare.recordType && recordName != WireShare.zoneShareName }

    /// Whether it is shared itself, and not with its zone.
    var isRootOfShare: Bool {
        guard let share = sharing?.share.shareID, !deleted else { return false }
        return share.recordName != WireShare.zoneShareName
    }

    /// Of a share, the name of its root, as far as that is known.
    var rootName: String? { share?.rootRecord?.recordName }

    /// The share with its root, where it does not say itself which that is.
    func knowing(root name: String?) -> WireRecord {
        guard let name, isShareOfRecord, var share, share.rootRecord == nil else { return self }
        share.rootRecord = WireShare.RecordID(recordName: name)
        var record = self
        record.share = share
        return record
    }

    /// A note of a share of which its root alone is known.
    static func share(_ name: String, knownByRoot root: String) -> WireRecord {
        var record = WireRecord(recordName: name, recordType: WireShare.recordType)
        record.share = WireShare()
        return record.knowing(root: root)
    }

    /// Whether nothing but its root is known of a share: it may not be the user's to see.
    var isKnownByRoot: Bool { rootName.map { self == .share(recordName, knownByRoot: $0) } ?? false }
}

extension JournalReading {
    /// A share with its root, as far as the zone's records have told that.
    func withKnownRoot(_ record: WireRecord) throws -> WireRecord {
        guard record.isShareOfRecord, record.rootName == nil else { return record }
        return record.knowing(root: try note(.objectShares, of: record.recordName)?.rootName)
    }
}

extension JournalWriting {
    /// Takes note of the share that a record has as its root.
    ///
    /// - Returns: Whether that is news of a share that the user sees.
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
