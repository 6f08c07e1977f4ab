import BackstitchSupport
import CloudWire

#if TLS
import Crypto
#endif

/// The signature of a request that changes something. The transaction of the change notes it. So no server of the
/// storage accepts it again, even after a restart. If the change was not made, the request may be sent again elsewhere.
///
/// A request may need several transactions. The first one to commit notes the signature.
final class SpentSignature: Sendable {
    private let key: String
    private let mark: [UInt8]
    private let end: Int64
    private let wasNoted = Locked(false)

    /// - Parameter signature: The raw form of both halves, 64 bytes. Only the first half is noted
    ///   (``SpentSignatures``).
    /// - Parameter end: End of its date's validity, in milliseconds since 1970.
    init(_ signature: some Collection<UInt8>, of keyID: String, until end: Int64) {
        key = keyID
        mark = Array(signature.prefix(32))
        self.end = end
    }

    /// Whether a transaction with this note was committed.
    var isNoted: Bool { wasNoted.withLock { $0 } }

    func setNoted() { wasNoted.withLock { $0 = true } }

    /// Notes the signature within a transaction.
    ///
    /// - Throws: AUTHENTICATION_FAILED if it was noted before.
    func note(_ writing: ZoneTransaction) throws {
        guard try writing.spend(mark, of: key, until: end) else {
            throw WireError(.authenticationFailed, "this signature was used already; sign the request anew")
        }
    }
}

#if TLS
extension SignedRequest {
    /// The signature to note; nil for a reading request, since that may be repeated.
    var spentSignature: SpentSignature? {
        guard changes else { return nil }
        return SpentSignature(
            claim.signature.rawRepresentation, of: key.keyID, until: time + SignedRequest.window)
    }
}
#endif
