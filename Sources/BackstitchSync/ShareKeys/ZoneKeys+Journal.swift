import Backstitch
import CloudWire
import Foundation

// The keys of shared zones as a store remembers them: documents as they are on the server, in which the keys are
// sealed. The keys themselves are in memory only.

extension SyncProperty where Value == WireRecord {
    /// The record of the zone's keys as the server has it, trusted or not.
    static var keysRecord: Self { Self(name: "sync.keysRecord") }
}

extension SyncProperty where Value == Data {
    /// The document of the zone's keys that was trusted last.
    static var trustedKeys: Self { Self(name: "sync.trustedKeys") }
}

extension SyncProperty where Value == String {
    /// The public key that this device has told of the user for the zone's share.
    static var toldKey: Self { Self(name: "sync.toldKey") }
}

extension SyncNotes where Subject == String, Value == KeyPin {
    /// The public keys of those who take part in the zone's share, by the users' record names.
    static var keyPin: Self { Self(prefix: "sync.keyPin/") }
    /// The public keys that were trusted last, in whichever zone of the store, by the users' record names. They stay
    /// when a zone goes: else a server that drops one and shows it again could show other keys with it.
    static var userKey: Self { Self(prefix: "sync.userKey/") }
}

extension Data: SyncPropertyValue {
    init?(storedForm: Data) { self = storedForm }

    var storedForm: Data? { self }
}

extension JournalWriting {
    /// Takes down how a user's public key stands in the zone that the journal is of.
    ///
    /// - Parameter isDecided: Whether the program has just trusted it. One that a zone takes over, or that an older
    ///   document of the zone names, changes nothing of the key that was trusted last.
    func setKeyPin(_ pin: KeyPin, of user: String, isDecided: Bool) throws {
        if let trusted = pin.trusted, try isDecided || !hasNote(.userKey, of: user) {
            try setNote(.userKey, of: user, to: KeyPin(trusted: trusted))
        }
        try setNote(.keyPin, of: user, to: pin)
    }
}

extension FetchedPage {
    /// The record of the zone's keys that the page brings, or that it is gone; nil for no news of it.
    var keysRecord: WireRecord? { records.last { $0.recordName == ZoneKeysDocument.recordName } }

    /// Whether keys that were missing may be there with it: their record, or the share that says whose the zone is.
    var bringsKeys: Bool {
        records.contains {
            !$0.deleted && [ZoneKeysDocument.recordName, WireShare.zoneShareName].contains($0.recordName)
        }
    }
}

extension JournalWriting {
    /// Takes note of the record of the zone's keys that a page brings, or of its end.
    func noteKeysRecord(in page: FetchedPage, _ settings: ApplySettings) throws {
        guard settings.ring != nil else { return }
        // A read from the beginning brings it, or there is none.
        if page.base == nil, try has(.keysRecord) { try remove(.keysRecord) }
        guard let record = page.keysRecord else { return }
        try set(.keysRecord, to: record.deleted ? nil : record)
    }
}
