import Backstitch
import CloudWire
import Foundation

/// A store's whole knowledge about the keys of one zone.
struct ZoneKeysNotes: Sendable, Hashable {
    /// The record of the zone's share.
    var share: WireRecord?
    /// The record of the keys on the server.
    var record: WireRecord?
    /// The last trusted document.
    var trusted: Data?
    private(set) var pins: [String: KeyPin] = [:]
    /// Decisions from other zones, for users without a decision in this zone.
    private var former: [String: KeyPin] = [:]
    /// Users whose keys were trusted by the program since the store was read.
    private(set) var decided: Set<String> = []
    /// The public key told by this device.
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

    /// The decisions about a user's public keys in the zone, or else in an earlier zone.
    func pin(of user: String) -> KeyPin { pins[user] ?? former[user] ?? KeyPin() }

    /// Sets the decisions about a user's public keys.
    ///
    /// - Parameter isDecided: Whether the program has just trusted the key.
    mutating func setPin(_ pin: KeyPin, of user: String, isDecided: Bool) {
        pins[user] = pin
        former[user] = nil
        if isDecided { decided.insert(user) }
    }

    /// Forgets the decisions after they were written.
    mutating func endDecisions() { decided = [] }
}
