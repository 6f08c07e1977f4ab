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

    /// The proof in a download address, besides the asset's name.
    struct Download: Sendable, Hashable {
        /// The end of the address, in milliseconds since 1970.
        var expires: Int64
        /// The caller who got the address, and the token or key. The address ends with it. Nil for a caller without a
        /// user.
        var bearer: Bearer?
    }

    /// The path and query of a download address.
    func downloadPath(of name: AssetName, _ download: Download) -> String {
        let mark = signer.mark(.download, Self.parts(name, download)).base64URL
        let bearer = download.bearer.map { "&bearer=\(Self.bytes(of: $0).base64URL)" } ?? ""
        return "/assets/download/\(name.tenantID)/\(name.checksum.hexadecimal)?expires=\(download.expires)"
            + "\(bearer)&mark=\(mark)"
    }

    /// The proof in the parameters of a download address; nil if this server did not make the address.
    func download(of name: AssetName, expires: String?, bearer: String?, mark: String?) -> Download? {
        guard let expires = expires.flatMap(Int64.init), let mark = mark.flatMap({ [UInt8](base64URL: $0) }),
            mark.count == 18
        else { return nil }
        var download = Download(expires: expires)
        if let bearer {
            guard let known = [UInt8](base64URL: bearer).flatMap(Self.bearer) else { return nil }
            download.bearer = known
        }
        return signer.isGenuine(mark, .download, Self.parts(name, download)) ? download : nil
    }

    /// The parts that the mark of a download address signs.
    private static func parts(_ name: AssetName, _ download: Download) -> [[UInt8]] {
        [name.tenantID.bigEndianBytes, name.checksum.bytes, download.expires.bigEndianBytes]
            + (download.bearer.map { [bytes(of: $0)] } ?? [])
    }

    /// A bearer as bytes: the length of the user's name, the name, and the token or key.
    private static func bytes(of bearer: Bearer) -> [UInt8] {
        UInt16(bearer.user.utf8.count).bigEndianBytes + Array(bearer.user.utf8) + Array(bearer.credential.utf8)
    }

    /// The bearer of these bytes; nil for any other bytes.
    private static func bearer(_ bytes: [UInt8]) -> Bearer? {
        guard bytes.count >= 2 else { return nil }
        let count = Int(UInt16(bigEndianBytes: bytes.prefix(2)))
        guard bytes.count >= 2 + count else { return nil }
        return Bearer(
            user: String(decoding: bytes[2..<2 + count], as: UTF8.self),
            credential: String(decoding: bytes[(2 + count)...], as: UTF8.self))
    }
}
