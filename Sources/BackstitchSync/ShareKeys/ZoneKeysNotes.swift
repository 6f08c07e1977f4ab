import Backstitch
import CloudWire
import Foundation

/// All that a store knows of the keys of one zone.
struct ZoneKeysNotes: Sendable, Hashable {
    /// The zone's share.
    var share: WireRecord?
    /// The record of the keys on the server.
    var record: WireRecord?
    /// The document that was trusted last.
    var trusted: Data?
    private(set) var pins: [String: KeyPin] = [:]
    /// Those of users who have none in this zone yet.
    private var former: [String: KeyPin] = [:]
    /// Users whose keys the program has trusted since the store was read.
    private(set) var decided: Set<String> = []
    /// The public key that this device has told.
    var told: String?
    /// The user of the store.
    var account: String?

    init() {}

    init(_ journal: any JournalReading) throws {
        share = try journal.value(of: .share)
        record = try journal.value(of: .keysRecord)
        trusted = try journal.value(of: .trustedKeys)
        told = try journal.value(of: .toldKey)
        account = try journal.value(of: .account)
        pins = Dictionary(try journal.notes(.keyPin).map { ($0, $1) }, uniquingKeysWith: { $1 })
        former = Dictionary(try journal.notes(.userKey).map { ($0, $1) }, uniquingKeysWith: { $1 })
        for user in pins.keys { former[user] = nil }
    }

    /// The public key of a user as it stands in the zone, or as it stood where that user was met before.
    func pin(of user: String) -> KeyPin { pins[user] ?? former[user] ?? KeyPin() }

    /// - Parameter isDecided: Whether the program has just trusted the key.
    mutating func setPin(_ pin: KeyPin, of user: String, isDecided: Bool) {
        pins[user] = pin
        former[user] = nil
        if isDecided { decided.insert(user) }
    }

    /// The decisions were written.
    mutating func endDecisions() { decided = [] }
}
