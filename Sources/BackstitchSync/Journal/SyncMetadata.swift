import Backstitch
import Foundation

/// The names under which sync keeps what it knows in the store.
package enum SyncMetadata {
    /// The highest sequence of which anybody else may know an insert (`Int64`, 8 bytes little-endian): saves keep its
    /// deletion.
    package static let attempted = "sync.attempted"
    /// The change token up to which the zone is here.
    package static let token = "sync.token"
    /// Which zone of which server the rest belongs to.
    package static let scope = "sync.scope"
    /// There when zone and subscription were made.
    package static let setUp = "sync.setUp"
    /// The user whose zone it is, once the server has said.
    package static let account = "sync.account"
    /// Which life of the zone the rest belongs to, once the server has said.
    package static let incarnation = "sync.incarnation"
    /// The history of the server's storage to which the rest belongs, once the server has said.
    package static let history = "sync.history"
    /// The mark of that life with a server that does not name it, see ``KnownLife``.
    package static let mark = "sync.mark"
    /// A record by which the life of the zone is known, where nothing else names it, see ``ZoneAnchor``.
    package static let anchor = "sync.anchor"
    /// There while sync is turned off.
    package static let off = "sync.off"
    /// There while a full fetch runs: its ``SweepMode``.
    package static let sweep = "sync.sweep"
    /// The fingerprint of the model and of the way in which this version reads records.
    package static let fingerprint = "sync.fingerprint"
    /// Digests of pushed fields whose answer is not known, see ``InFlightPushes``.
    package static let inFlight = "sync.inFlight"
    /// Inserts whose answer is not known, see ``UnansweredInserts``.
    package static let unanswered = "sync.unanswered"
    /// How many records are parked.
    package static let parkedCount = "sync.parkedCount"
    /// Begins the names of parked records.
    package static let parkedPrefix = "sync.parked/"
    /// Begins the names of assets that are to be downloaded.
    package static let assetPrefix = "sync.asset/"
    /// Begins the names of attributes whose bytes stay here.
    package static let pinPrefix = "sync.pin/"
    /// Begins the names of assets, with when they were asked for last (milliseconds since 1970).
    package static let assetUsePrefix = "sync.assetUse/"
    /// Begins the names of records whose objects were removed here, and here only.
    package static let awayPrefix = "sync.away/"
    /// Begins the names of records that wait for the end of the pull, see ``DeferredRecords``.
    package static let deferredPrefix = "sync.held/"
    /// Begins the names of objects whose place a deferred record takes, see ``DepartedObjects``.
    package static let departedPrefix = "sync.departed/"
    /// Begins the names of objects that have become others, see ``MergedKeys``.
    package static let mergedPrefix = "sync.merged/"
    /// Begins the names of objects that were deleted, and whose inserts may still arrive.
    package static let withdrawnPrefix = "sync.withdrawn/"
    /// There when a pull came to its end for the first time.
    package static let firstSync = "sync.firstSync"
    /// When the server last took changes (milliseconds since 1970).
    package static let lastPush = "sync.lastPush"
    /// When a pull last came to its end (milliseconds since 1970).
    package static let lastPull = "sync.lastPull"

    /// The names of metadata that belong to one life of a zone.
    static let ofZone = [token, sweep, setUp, inFlight, unanswered, ended, incarnation, mark, anchor, history]
}

extension JournalReading {
    func text(for key: String) throws -> String? {
        try metadata(for: key).map { String(decoding: $0, as: UTF8.self) }
    }

    func number(for key: String) throws -> Int64? {
        guard let data = try metadata(for: key), data.count == 8 else { return nil }
        return data.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
    }
}

extension JournalWriting {
    func setText(_ text: String?, for key: String) throws { try setMetadata(text.map { Data($0.utf8) }, for: key) }

    func setNumber(_ number: Int64?, for key: String) throws {
        try setMetadata(number.map { number in withUnsafeBytes(of: number.littleEndian) { Data($0) } }, for: key)
    }
}
