import BackstitchSupport
import CloudWire

/// Remembers the signatures of changes while their dates are valid, so a copied request cannot be sent again.
///
/// A signature is identified by its first half (r), a function of the nonce. The second half (s) identifies nothing:
/// anyone can turn it into another valid one, and DER can encode it in several ways. Two messages never share a first
/// half, since such a pair reveals the private key.
///
/// The memory belongs to one server, and ends with its process. It refuses a repeat before any work, and counts the
/// changes of a key. Other servers, and this one after a restart, refuse a repeat by the note in the change's
/// transaction; see ``SpentSignature``.
final class SpentSignatures: Sendable {
    private struct Mark: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ signature: some Collection<UInt8>) {
            high = UInt64(bigEndianBytes: signature.prefix(8))
            low = UInt64(bigEndianBytes: signature.dropFirst(8).prefix(8))
        }
    }

    /// Most changes by one key within the validity of a date. A mark takes about 32 bytes.
    static let most = 65_536

    private let most: Int
    /// The marks, by the minute of their date's end and by key. A repeat has the same date, so it falls in the same
    /// minute.
    private let marks = Locked<[Int64: [String: Set<Mark>]]>([:])

    init(most: Int = SpentSignatures.most) {
        self.most = most
    }

    /// Notes a signature, and refuses a repeat.
    ///
    /// - Parameter signature: The raw form of both halves, 64 bytes.
    /// - Parameter end: End of its date's validity, in milliseconds since 1970.
    /// - Throws: AUTHENTICATION_FAILED if it was noted before, THROTTLED if the key has made too many changes.
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
            throw WireError(.authenticationFailed, "this signature was used already; sign the request anew")
        }
        guard hasRoom else {
            throw WireError(
                .throttled, "a server-to-server key may make \(most) changes in ten minutes", retryAfter: 60)
        }
    }

    /// The number of signatures remembered now.
    var count: Int { marks.withLock { $0.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } } }
}
