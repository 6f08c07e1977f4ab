#if TLS
import Crypto
import Foundation
import NIOCore

/// A request that names a server-to-server key that is known, with a date that holds. Only the body shows whether the
/// key has signed it.
struct SignedRequest: Sendable {
    /// Milliseconds by which a date may differ from the server's (CloudKit Web Services Reference, "Authenticate Web
    /// Service Requests").
    static let window: Int64 = 600_000

    let key: ZoneServerConfiguration.ServerKey
    let claim: SignatureClaim
    /// The date, in milliseconds since 1970.
    let time: Int64
    /// The path and the query as the request has them, without scheme and host.
    let target: String
    /// The address of the caller's machine.
    let address: String
    /// Whether the request changes something, so that it must not be taken twice.
    let changes: Bool

    /// Whether the key has signed this request. Blocks for the time that the hash of the body takes.
    ///
    /// The documents leave room, and clients differ: the path is signed with the query or without, and an empty body
    /// stands as its hash or as nothing. It does not matter that a query may be unsigned: a signed request has no
    /// parameter that means anything to the server.
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
