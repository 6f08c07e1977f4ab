import Backstitch
import Foundation

/// An asset to download. It is recorded in the store with the name of its record, so a restart forgets none.
struct WantedAsset: Sendable, Codable, Hashable {
    let objectID: ObjectID
    /// The name of the attribute.
    let key: String
    let recordName: String
    let reference: AssetReference
    /// The address of the bytes, valid for a short time after the record was read.
    var downloadURL: String?

    /// The failure of the last try; nil before the first one.
    var failure: Failure?

    /// A failed download, with its reason and the time of the next try.
    struct Failure: Sendable, Codable, Hashable {
        /// The number of tries so far.
        var attempts: Int
        var reason: String
        /// The time of the last failure, in milliseconds since 1970; nil in notes of earlier versions.
        var failedAt: Int64?
        /// The earliest time of the next try, in milliseconds since 1970.
        var nextTry: Int64

        /// The latest time of the next try: a tenth of the wait after the earliest one, so that many are tried
        /// together.
        var tryBy: Int64 { nextTry + (nextTry - (failedAt ?? nextTry)) / 10 }
    }

    /// Returns whether it may be tried now. If the clock was set back, it may: a failure later than now was measured by
    /// another clock.
    func isDue(at now: Int64) -> Bool {
        guard let failure else { return true }
        if let failedAt = failure.failedAt, now < failedAt { return true }
        return now >= failure.nextTry || failure.nextTry - now > Self.wrongBytes.longest
    }

    /// Records a failed try.
    mutating func failed(_ error: any Error, at now: Int64) {
        let attempts = (failure?.attempts ?? 0) + 1
        let wait: Int64
        if (error as? SyncFailure)?.isTransient == true {
            wait = attempts > 2 ? Self.badLine.delay(attempt: attempts - 2, random: objectID.key.low) : 0
        } else {
            wait = Self.wrongBytes.delay(attempt: attempts, random: objectID.key.low)
        }
        failure = Failure(
            attempts: attempts, reason: SyncFailure(any: error).error.message, failedAt: now, nextTry: now + wait)
    }

    /// The waits while the server cannot be reached.
    private static let badLine = BackOff(first: 30_000, longest: 600_000)
    /// The waits after a failure that an immediate retry would repeat. Each try costs all the bytes.
    private static let wrongBytes = BackOff(first: 60_000, longest: 6 * 3_600_000)

    /// The attribute that needs it.
    var place: AssetPlace { AssetPlace(key: objectID.key, attribute: key) }

    /// Returns the reasons of the assets whose last try failed. Other notes are not decoded, because there may be many.
    static func failures(in journal: any JournalReading) throws -> [AssetPlace: String] {
        var failures: [AssetPlace: String] = [:]
        for (place, note) in try journal.notes(.wanted, where: mayHaveFailed) {
            if let failure = note.failure { failures[place] = failure.reason }
        }
        return failures
    }

    /// Returns whether the stored form may have a failure.
    private static func mayHaveFailed(_ data: Data) -> Bool {
        let mark = Array(#""failure":"#.utf8)
        return data.withUnsafeBytes { bytes in
            guard bytes.count >= mark.count else { return false }
            for start in 0...(bytes.count - mark.count) where bytes[start] == mark[0] && bytes[start + 1] == mark[1] {
                if mark.indices.allSatisfy({ bytes[start + $0] == mark[$0] }) { return true }
            }
            return false
        }
    }

    static func all(in journal: any JournalReading) throws -> [WantedAsset] { try journal.notes(.wanted).map(\.value) }
}

extension WantedAsset: SyncPropertyValue {
    init(storedForm: Data) throws { self = try JSONDecoder().decode(WantedAsset.self, from: storedForm) }

    var storedForm: Data? {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(self)
        }
    }
}
