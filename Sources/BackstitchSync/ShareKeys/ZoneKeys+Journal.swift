import Backstitch
import CloudWire
import Foundation

// The keys of shared zones in a store: the sealed documents, as they are on the server. The opened keys are in memory
// only.

extension SyncProperty where Value == WireRecord {
    /// The record of the zone's keys as the server has it, trusted or not.
    static var keysRecord: Self { Self(name: "sync.keysRecord") }
}

extension SyncProperty where Value == Data {
    /// The last trusted document of the zone's keys.
    static var trustedKeys: Self { Self(name: "sync.trustedKeys") }
}

extension SyncProperty where Value == String {
    /// The user's public key, as this device has told it for the zone's share.
    static var toldKey: Self { Self(name: "sync.toldKey") }
}

extension SyncNotes where Subject == String, Value == KeyPin {
    /// The public keys of the participants in the zone's share, by the users' record names.
    static var keyPin: Self { Self(prefix: "sync.keyPin/") }
    /// The last trusted public keys in any zone of the store, by the users' record names. They stay when a zone goes.
    /// Otherwise a server could drop a zone and show it again with false keys.
    static var userKey: Self { Self(prefix: "sync.userKey/") }
}

extension Data: SyncPropertyValue {
    init?(storedForm: Data) { self = storedForm }

    var storedForm: Data? { self }
}

extension JournalWriting {
    /// Notes the decisions about a user's public keys in the journal's zone.
    ///
    /// - Parameter isDecided: Whether the program has just trusted the key. A key taken over from another zone, or from
    ///   an older document of this zone, does not change the last trusted key.
    func setKeyPin(_ pin: KeyPin, of user: String, isDecided: Bool) throws {
        if let trusted = pin.trusted, try isDecided || !hasNote(.userKey, of: user) {
            try setNote(.userKey, of: user, to: KeyPin(trusted: trusted))
        }
        try setNote(.keyPin, of: user, to: pin)
    }
}

extension FetchedPage {
    /// The record of the zone's keys in the page, possibly as deleted. Nil if the page does not have it.
    var keysRecord: WireRecord? { records.last { $0.recordName == ZoneKeysDocument.recordName } }

    /// Whether the page may bring missing keys: it has their record, or the share that names the zone's owner.
    var bringsKeys: Bool {
        records.contains {
            !$0.deleted && [ZoneKeysDocument.recordName, WireShare.zoneShareName].contains($0.recordName)
        }
    }
}

extension JournalWriting {
    /// Notes the record of the zone's keys in a page, or its deletion.
    func noteKeysRecord(in page: FetchedPage, _ settings: ApplySettings) throws {
        guard settings.ring != nil else { return }
        // A read from the beginning brings the record, or there is none.
        if page.base == nil, try has(.keysRecord) { try remove(.keysRecord) }
        guard let record = page.keysRecord else { return }
        try set(.keysRecord, to: record.deleted ? nil : record)
    }
}
