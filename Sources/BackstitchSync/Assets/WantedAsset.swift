import Backstitch
import Foundation

/// An asset that is to be downloaded: noted in the store with the record that has it, so that a restart forgets none.
struct WantedAsset: Sendable, Codable, Hashable {
    let objectID: ObjectID
    /// The attribute.
    let key: String
    let recordName: String
    let reference: AssetReference
    /// Where to read it, for a short time after the record was read.
    var downloadURL: String?

    /// The failure of the last try; nil before the first one.
    var failure: Failure?

    /// Why an asset could not be had.
    struct Failure: Sendable, Codable, Hashable {
        /// How often it was tried.
        var attempts: Int
        var reason: String
        /// Milliseconds since 1970 at which the last try failed; nil in notes of earlier versions.
        var failedAt: Int64?
        /// Milliseconds since 1970 before which it is not tried again.
        var nextTry: Int64

        /// When it is tried again at the latest: a tenth of its wait later, so that many are tried together.
        var tryBy: Int64 { nextTry + (nextTry - (failedAt ?? nextTry)) / 10 }
    }

    /// Whether it may be tried. A clock that has gone back keeps nobody waiting: what failed later than now failed by
    /// another clock.
    func isDue(at now: Int64) -> Bool {
        guard let failure else { return true }
        if let failedAt = failure.failedAt, now < failedAt { return true }
        return now >= failure.nextTry || failure.nextTry - now > Self.wrongBytes.longest
    }

    /// Notes that a try has failed.
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

    /// Waits while the server cannot be reached.
    private static let badLine = BackOff(first: 30_000, longest: 600_000)
    /// Waits after what would be no different the next moment: each try costs all the bytes.
    private static let wrongBytes = BackOff(first: 60_000, longest: 6 * 3_600_000)

    /// The place that wants it.
    var place: AssetPlace { AssetPlace(key: objectID.key, attribute: key) }

    /// Why assets could not be had, of those whose last try failed. Others are not decoded: there may be many.
    static func failures(in journal: any JournalReading) throws -> [AssetPlace: String] {
        var failures: [AssetPlace: String] = [:]
        for (place, note) in try journal.notes(.wanted, where: mayHaveFailed) {
            if let failure = note.failure { failures[place] = failure.reason }
        }
        return failures
    }

    /// Whether the stored form may have a failure.
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
