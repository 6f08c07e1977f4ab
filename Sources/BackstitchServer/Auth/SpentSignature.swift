import BackstitchSupport
import CloudWire

#if TLS
import Crypto
#endif

/// The signature of a request that changes something, to be noted in the transaction of the change: so no server of the
/// storage takes it again, also after a restart, and a change that was not made can be asked for again elsewhere.
///
/// A request may be carried out in several transactions; the first that is committed notes it.
final class SpentSignature: Sendable {
    private let key: String
    private let mark: [UInt8]
    private let end: Int64
    private let wasNoted = Locked(false)

    /// - Parameters:
    ///   - signature: The two halves as they are, 64 bytes; the first half is what is noted (``SpentSignatures``).
    ///   - end: Until when its date holds, in milliseconds since 1970.
    init(_ signature: some Collection<UInt8>, of keyID: String, until end: Int64) {
        key = keyID
        mark = Array(signature.prefix(32))
        self.end = end
    }

    /// Whether a transaction that noted it has been committed.
    var isNoted: Bool { wasNoted.withLock { $0 } }

    func setNoted() { wasNoted.withLock { $0 = true } }

    /// Notes it within a transaction.
    ///
    /// - Throws: AUTHENTICATION_FAILED for one that was noted before.
    func note(_ writing: any ZoneWriting) throws {
        guard try writing.spend(mark, of: key, until: end) else {
            throw WireError(.authenticationFailed, "this signature was taken already; sign the request anew")
        }
    }
}

#if TLS
extension SignedRequest {
    /// The signature of a request that changes something; nil for one that reads, which may come again.
    var spentSignature: SpentSignature? {
        guard changes else { return nil }
        return SpentSignature(
            claim.signature.rawRepresentation, of: key.keyID, until: time + SignedRequest.window)
    }
}
#endif
