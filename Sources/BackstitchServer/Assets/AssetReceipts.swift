import BackstitchSupport
import CloudWire
import Foundation

/// The proofs that go with assets: the address to upload to, the receipt of an upload, the address to download from.
/// All are marked by the server, so it keeps nothing in between.
struct AssetReceipts: Sendable {
    let signer: TokenSigner

    // MARK: Receipts

    /// Returns the receipt that a client puts into a record to show that it uploaded an asset for this field.
    ///
    /// - Parameter expires: Milliseconds since 1970 after which it is no longer good.
    func receipt(
        checksum: AssetChecksum, size: Int64, tenant: String, user: String, field: String, expires: Int64
    ) -> String {
        let mark = signer.mark(.receipt, Self.parts(checksum, size, tenant, user, field, expires))
        return (expires.bigEndianBytes + mark).base64URL
    }

    /// The field of a receipt that is good for every field, as one for content that the user has read in a record is.
    /// No field has this name.
    static let anyField = ""

    /// Until when a receipt is good, in milliseconds since 1970; nil for one that is not for all of this.
    func end(
        of receipt: String, checksum: AssetChecksum, size: Int64, tenant: String, user: String, field: String
    ) -> Int64? {
        guard let bytes = [UInt8](base64URL: receipt), bytes.count == 26 else { return nil }
        let expires = Int64(bigEndianBytes: bytes[..<8])
        let isGenuine = [field, Self.anyField].contains {
            signer.isGenuine(bytes[8...], .receipt, Self.parts(checksum, size, tenant, user, $0, expires))
        }
        return isGenuine ? expires : nil
    }

    private static func parts(
        _ checksum: AssetChecksum, _ size: Int64, _ tenant: String, _ user: String, _ field: String, _ expires: Int64
    ) -> [[UInt8]] {
        [
            checksum.bytes, size.bigEndianBytes, Array(tenant.utf8), Array(user.utf8), Array(field.utf8),
            expires.bigEndianBytes,
        ]
    }

    // MARK: Uploads

    /// The parameters in the address of an upload.
    struct Upload: Sendable, Hashable {
        var tenant: String
        /// The caller who asked for it, and the token or key with which the address ends.
        var bearer: Bearer
        var field: String
        /// Most bytes that may come.
        var limit: Int
        /// Milliseconds since 1970 after which the address is no longer good.
        var expires: Int64
        /// The file that comes; nil where the client has not told, so that its upload cannot go on.
        var content: Content?

        var user: String { bearer.user }
    }

    /// A file as its sender announces it.
    struct Content: Sendable, Hashable {
        var checksum: AssetChecksum
        var size: Int64
    }

    /// The last part of an address to upload to.
    func ticket(_ upload: Upload) -> String {
        var payload = upload.expires.bigEndianBytes + Int64(upload.limit).bigEndianBytes
        for text in [upload.tenant, upload.user, upload.bearer.credential, upload.field] {
            payload += UInt16(text.utf8.count).bigEndianBytes + Array(text.utf8)
        }
        if let content = upload.content { payload += content.checksum.bytes + content.size.bigEndianBytes }
        return (signer.mark(.upload, [payload]) + payload).base64URL
    }

    /// The upload that a ticket allows, or nil when this server did not make it.
    func upload(ticket: some StringProtocol) -> Upload? {
        guard ticket.utf8.count < 4096, let bytes = [UInt8](base64URL: ticket), bytes.count >= 34,
            signer.isGenuine(bytes[..<18], .upload, [Array(bytes[18...])])
        else { return nil }
        var rest = bytes[34...]
        var texts: [String] = []
        while texts.count < 4, rest.count >= 2 {
            let count = Int(UInt16(bigEndianBytes: rest.prefix(2)))
            rest = rest.dropFirst(2)
            guard rest.count >= count else { return nil }
            texts.append(String(decoding: rest.prefix(count), as: UTF8.self))
            rest = rest.dropFirst(count)
        }
        guard texts.count == 4, rest.isEmpty || rest.count == AssetChecksum.length + 8 else { return nil }
        let content =
            rest.isEmpty
            ? nil
            : Content(
                checksum: AssetChecksum(bytes: Array(rest.prefix(AssetChecksum.length))),
                size: Int64(bigEndianBytes: rest.suffix(8)))
        return Upload(
            tenant: texts[0], bearer: Bearer(user: texts[1], credential: texts[2]), field: texts[3],
            limit: Int(Int64(bigEndianBytes: bytes[26..<34])), expires: Int64(bigEndianBytes: bytes[18..<26]),
            content: content)
    }

    // MARK: Downloads

    /// The path and query of an address to download from.
    func downloadPath(tenantID: Int64, _ checksum: AssetChecksum, expires: Int64) -> String {
        let mark = signer.mark(.download, Self.parts(tenantID, checksum, expires)).base64URL
        return "/assets/download/\(tenantID)/\(checksum.hexadecimal)?expires=\(expires)&mark=\(mark)"
    }

    func isGenuine(mark: String, tenantID: Int64, _ checksum: AssetChecksum, expires: Int64) -> Bool {
        guard let mark = [UInt8](base64URL: mark), mark.count == 18 else { return false }
        return signer.isGenuine(mark, .download, Self.parts(tenantID, checksum, expires))
    }

    private static func parts(_ tenantID: Int64, _ checksum: AssetChecksum, _ expires: Int64) -> [[UInt8]] {
        [tenantID.bigEndianBytes, checksum.bytes, expires.bigEndianBytes]
    }
}
