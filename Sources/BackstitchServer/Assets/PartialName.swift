import BackstitchSupport

/// The name of an incomplete upload. It is made of the sender and the announced content.
///
/// So another upload address for the same content continues the same file, but only for the same user.
struct PartialName: Sendable, Hashable {
    /// The folder of the user, for all containers.
    let user: String
    /// The name of the file in the folder.
    let file: String

    init(_ upload: AssetReceipts.Upload, _ content: AssetReceipts.Content) {
        user = Self.digest([Array(upload.user.utf8)])
        file = Self.digest([
            Array(upload.tenant.utf8), Array(upload.user.utf8), content.checksum.bytes, content.size.bigEndianBytes,
        ])
    }

    /// The digest of some parts. Each part has its length before it, so different lists never give the same message.
    private static func digest(_ parts: [[UInt8]]) -> String {
        var digest = SHA256()
        for part in parts { digest.update(data: UInt64(part.count).bigEndianBytes + part) }
        return digest.finalize().hexadecimal
    }
}
