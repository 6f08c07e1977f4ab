import BackstitchSupport

/// Names a file of which only a part has come: by who sends it and by what it will be. So another address for the same
/// content goes on with the same file, and nobody else's does.
struct PartialName: Sendable, Hashable {
    /// The folder of the user's, of all containers.
    let user: String
    /// The file in it.
    let file: String

    init(_ upload: AssetReceipts.Upload, _ content: AssetReceipts.Content) {
        user = Self.digest([Array(upload.user.utf8)])
        file = Self.digest([
            Array(upload.tenant.utf8), Array(upload.user.utf8), content.checksum.bytes, content.size.bigEndianBytes,
        ])
    }

    /// Each part is preceded by its length, so that no two lists of parts are the same message.
    private static func digest(_ parts: [[UInt8]]) -> String {
        var digest = SHA256()
        for part in parts { digest.update(data: UInt64(part.count).bigEndianBytes + part) }
        return digest.finalize().hexadecimal
    }
}
