import BackstitchSupport
import CloudWire
import Foundation

/// The proofs for assets: the address of an upload, the receipt of an upload, and the address of a download.
///
/// The server signs all of them, so it need not remember them.
struct AssetReceipts: Sendable {
    let signer: TokenSigner

    // MARK: Receipts

    /// The receipt of an upload. A client puts it into a record to prove the upload of an asset for this field.
    ///
    /// - Parameter expires: The end of the receipt, in milliseconds since 1970.
    func receipt(
        checksum: AssetChecksum, size: Int64, tenant: String, user: String, field: String, expires: Int64
    ) -> String {
        let mark = signer.mark(.receipt, Self.parts(checksum, size, tenant, user, field, expires))
        return (expires.bigEndianBytes + mark).base64URL
    }

    /// The field of a receipt for every field, for content that the user has read in a record. No real field has this
    /// name.
    static let anyField = ""

    /// The end of a receipt in milliseconds since 1970; nil if the receipt is for something else.
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

    /// The parts that the mark of a receipt signs.
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
        /// The caller who asked for the address, and the token or key. The address ends with it.
        var bearer: Bearer
        var field: String
        /// The maximum number of bytes.
        var limit: Int
        /// The end of the address, in milliseconds since 1970.
        var expires: Int64
        /// The announced file; nil if the client announced none. Then an interrupted upload cannot be continued.
        var content: Content?

        var user: String { bearer.user }
    }

    /// A file, as announced by its sender.
    struct Content: Sendable, Hashable {
        var checksum: AssetChecksum
        var size: Int64
    }

    /// The last part of an upload address: the signed parameters.
    func ticket(_ upload: Upload) -> String {
        var payload = upload.expires.bigEndianBytes + Int64(upload.limit).bigEndianBytes
        for text in [upload.tenant, upload.user, upload.bearer.credential, upload.field] {
            payload += UInt16(text.utf8.count).bigEndianBytes + Array(text.utf8)
        }
        if let content = upload.content { payload += content.checksum.bytes + content.size.bigEndianBytes }
        return (signer.mark(.upload, [payload]) + payload).base64URL
    }

    /// The upload allowed by a ticket; nil if this server did not make the ticket.
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

    /// The path and query of a download address.
    func downloadPath(tenantID: Int64, _ checksum: AssetChecksum, expires: Int64) -> String {
        let mark = signer.mark(.download, Self.parts(tenantID, checksum, expires)).base64URL
        return "/assets/download/\(tenantID)/\(checksum.hexadecimal)?expires=\(expires)&mark=\(mark)"
    }

    /// Whether this server made a download address.
    func isGenuine(mark: String, tenantID: Int64, _ checksum: AssetChecksum, expires: Int64) -> Bool {
        guard let mark = [UInt8](base64URL: mark), mark.count == 18 else { return false }
        return signer.isGenuine(mark, .download, Self.parts(tenantID, checksum, expires))
    }

    /// The parts that the mark of a download address signs.
    private static func parts(_ tenantID: Int64, _ checksum: AssetChecksum, _ expires: Int64) -> [[UInt8]] {
        [tenantID.bigEndianBytes, checksum.bytes, expires.bigEndianBytes]
    }
}
