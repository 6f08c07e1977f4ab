import Backstitch
import BackstitchSupport
import CloudWire

/// A push token as clients hold it: the tenant for the look-up, a secret, and the mark of the storage's servers.
/// Because of the mark, a made-up token costs no look-up.
struct PushTokenText: Sendable {
    let text: String
    let tenantID: Int64

    init(tenantID: Int64, secret: [UInt8], _ signer: TokenSigner) {
        self.tenantID = tenantID
        let mark = signer.mark(.pushToken, [tenantID.bigEndianBytes, secret], count: TokenSigner.shortMark)
        text = "\(tenantID)-\((secret + mark).base64URL)"
    }

    /// Whether a server of the storage has made the token.
    func isGenuine(_ signer: TokenSigner) -> Bool {
        let length = TokenSigner.secretLength
        guard let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")),
            let bytes = [UInt8](base64URL: text[text.utf8.index(after: dash)...]),
            bytes.count == length + TokenSigner.shortMark
        else { return false }
        return signer.isGenuine(
            bytes.suffix(TokenSigner.shortMark), .pushToken, [tenantID.bigEndianBytes, Array(bytes.prefix(length))])
    }

    init?(_ text: String) {
        guard text.utf8.count < 100, let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")),
            let tenantID = Int64(text[..<dash])
        else {
            return nil
        }
        self.text = text
        self.tenantID = tenantID
    }

    var key: PushTokenKey { PushTokenKey(tenantID: tenantID, digest: TokenDigest(presented: text)) }
}
