#if TLS
import Crypto
import Foundation
import NIOCore

/// A request with a known server-to-server key and a valid date. Only the body shows whether the key has signed it.
struct SignedRequest: Sendable {
    /// Largest difference between a request's date and the server's time, in milliseconds (CloudKit Web Services
    /// Reference, "Authenticate Web Service Requests").
    static let window: Int64 = 600_000

    let key: ZoneServerConfiguration.ServerKey
    let claim: SignatureClaim
    /// The date, in milliseconds since 1970.
    let time: Int64
    /// The path and the query of the request, without scheme and host.
    let target: String
    /// The address of the caller's machine.
    let address: String
    /// Whether the request changes something, and so must be accepted only once.
    let changes: Bool

    /// Whether the key has signed this request. Blocks while the body is hashed.
    ///
    /// CloudKit's documents are ambiguous, and clients differ. The signed path includes the query or not. An empty body
    /// is signed as its hash or as empty text. An unsigned query does no harm: of a signed request, the server uses
    /// only the parameter `getCurrentSyncToken`, which at most adds a token to the answer.
    func isValid(for body: ByteBuffer) -> Bool {
        guard let publicKey = try? P256.Signing.PublicKey(x963Representation: key.point) else { return false }
        var hasher = Crypto.SHA256()
        body.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
        let hash = Data(hasher.finalize()).base64EncodedString()
        let path = String(target.prefix { $0 != "?" })
        for hash in body.readableBytes == 0 ? [hash, ""] : [hash] {
            for subpath in path == target ? [path] : [path, target] {
                let message = Data("\(claim.date):\(hash):\(subpath)".utf8)
                if publicKey.isValidSignature(claim.signature, for: message) { return true }
            }
        }
        return false
    }
}
#endif
