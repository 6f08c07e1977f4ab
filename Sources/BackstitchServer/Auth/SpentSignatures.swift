import BackstitchSupport
import CloudWire

/// The signatures of changes that were taken, for as long as their dates would let them in again: so that nobody who
/// has seen a request can send it once more.
///
/// A signature is known by its first half (r), which is that of the nonce. The other half (s) anybody can turn into
/// another valid one, and DER can write it in several ways. Two messages never have the same first half: whoever signs
/// so has told the private key.
///
/// The memory is that of one server, and ends with it: it refuses a repeat before any work, and counts the changes of a
/// key. Other servers, and this one after a restart, refuse a repeat by what the change noted in its transaction; see
/// ``SpentSignature``.
final class SpentSignatures: Sendable {
    private struct Mark: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ signature: some Collection<UInt8>) {
            high = UInt64(bigEndianBytes: signature.prefix(8))
            low = UInt64(bigEndianBytes: signature.dropFirst(8).prefix(8))
        }
    }

    /// Changes that one key may make within the time for which a date holds. A mark takes some 32 bytes.
    static let most = 65_536

    private let most: Int
    /// By the minute in which their dates stop to hold, and by the key. A repeat has the same date, so it is in the
    /// same minute.
    private let marks = Locked<[Int64: [String: Set<Mark>]]>([:])

    init(most: Int = SpentSignatures.most) {
        self.most = most
    }

    /// Notes a signature.
    ///
    /// - Parameters:
    ///   - signature: The two halves as they are, 64 bytes.
    ///   - end: Until when its date holds, in milliseconds since 1970.
    /// - Throws: AUTHENTICATION_FAILED for one that was noted before, THROTTLED when the key has made too many changes.
    func spend(_ signature: some Collection<UInt8>, of keyID: String, until end: Int64, at now: Int64) throws(WireError)
    {
        let mark = Mark(signature)
        let minute = end / 60_000
        let (isNew, hasRoom) = marks.withLock { marks in
            for old in marks.keys where old < now / 60_000 { marks[old] = nil }
            if marks[minute]?[keyID]?.contains(mark) == true { return (false, true) }
            guard marks.values.reduce(0, { $0 + ($1[keyID]?.count ?? 0) }) < most else { return (true, false) }
            marks[minute, default: [:]][keyID, default: []].insert(mark)
            return (true, true)
        }
        guard isNew else {
            throw WireError(.authenticationFailed, "this signature was taken already; sign the request anew")
        }
        guard hasRoom else {
            throw WireError(
                .throttled, "a server-to-server key may make \(most) changes in ten minutes", retryAfter: 60)
        }
    }

    /// How many signatures are kept.
    var count: Int { marks.withLock { $0.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } } }
}
