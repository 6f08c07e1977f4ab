import BackstitchSupport
import CloudWire
import Foundation

/// A point in a feed, as the server reads it from a token.
struct SyncToken: Sendable, Hashable {
    enum Kind: UInt8, Sendable {
        case zone = 1
        case zoneReverse = 2
        case database = 3
    }

    /// The feed of a token. A token of one feed is invalid for another.
    struct Feed: Sendable, Hashable {
        var database: DatabaseKey
        /// Name of the zone; empty for the feed of zones.
        var zone: String
    }

    /// The reason why a token is invalid. The texts are those of the real service.
    enum Fault: String, Error {
        case malformed = "Invalid continuation format"
        case foreign = "Unknown sync continuation type"
        case expired = "sync token expired"

        var wireError: WireError { WireError(.badRequest, rawValue) }
    }

    private static let version: UInt8 = 1
    /// The version with a floor. Other versions have none.
    private static let flooredVersion: UInt8 = 2
    private static let markLength = 18

    var kind: Kind
    var epoch: Int64
    var sequence: Int64
    /// The zone's floor at the time a reader began from nothing, until the reader has read past it. Such a reader needs
    /// no deletions below it. 0 for other readers.
    var floor: Int64 = 0

    /// The token's text: 36 bytes in base64 (version, kind, epoch, sequence, mark), 44 with a floor before the mark.
    func text(_ feed: Feed, _ signer: TokenSigner) -> String {
        let hasFloor = floor > sequence
        let version = hasFloor ? Self.flooredVersion : Self.version
        let payload =
            [version, kind.rawValue] + epoch.bigEndianBytes + sequence.bigEndianBytes
            + (hasFloor ? floor.bigEndianBytes : [])
        return Data(payload + signer.mark(.syncToken, Self.parts(payload, feed))).base64EncodedString()
    }

    /// Reads a token's text, and checks its mark.
    ///
    /// - Throws: ``Fault`` if it is no token of this server for this feed.
    static func read(_ text: String, _ feed: Feed, _ signer: TokenSigner) throws(Fault) -> SyncToken {
        guard let data = Data(base64Encoded: text), [18, 26].contains(data.count - markLength) else { throw .malformed }
        let bytes = Array(data)
        let payload = Array(bytes.dropLast(markLength))
        let expected = payload.count == 18 ? version : flooredVersion
        guard bytes[0] == expected, let kind = Kind(rawValue: bytes[1]),
            signer.isGenuine(bytes[payload.count...], .syncToken, parts(payload, feed))
        else { throw .foreign }
        return SyncToken(
            kind: kind, epoch: Int64(bigEndianBytes: bytes[2..<10]), sequence: Int64(bigEndianBytes: bytes[10..<18]),
            floor: payload.count == 18 ? 0 : Int64(bigEndianBytes: bytes[18..<26]))
    }

    private static func parts(_ payload: [UInt8], _ feed: Feed) -> [[UInt8]] {
        [
            payload, Array(feed.database.tenant.utf8), [UInt8(feed.database.scope.rawValue)],
            Array(feed.database.owner.utf8), Array(feed.zone.utf8),
        ]
    }

    /// Checks the token against the current state of the feed.
    func check(kind: Kind, epoch: Int64, head: Int64, floor: Int64 = 0) throws(Fault) {
        guard self.kind == kind else { throw .foreign }
        // A sequence beyond the head is from a future undone by a restore.
        guard self.epoch == epoch, sequence <= head else { throw .expired }
        // Some deletions above the token's sequence are already forgotten.
        guard max(sequence, self.floor) >= floor else { throw .expired }
    }
}
