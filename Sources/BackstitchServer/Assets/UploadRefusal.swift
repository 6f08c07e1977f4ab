import BackstitchSupport
import CloudWire

/// Why a part of a file is not taken, and from which byte on the client may send.
struct UploadRefusal: Error {
    let error: WireError
    let offset: Int64

    /// The server has another number of bytes than the client takes it to have.
    static func elsewhere(_ offset: Int64, has size: Int64) -> UploadRefusal {
        UploadRefusal(
            error: WireError(
                .conflict, "the server has \(size) bytes of the file, so it does not take it from byte \(offset)"),
            offset: size)
    }

    /// Another request sends the same file.
    static func busy(_ size: Int64) -> UploadRefusal {
        UploadRefusal(
            error: WireError(
                .conflict, "another request sends this file just now; ask by HEAD how much has come", retryAfter: 1),
            offset: size)
    }

    /// All bytes are there, and are others than were announced.
    static func otherContent(_ content: AssetReceipts.Content) -> UploadRefusal {
        UploadRefusal(
            error: WireError(
                .badRequest,
                "the \(content.size) bytes that came are not those of the checksum \(content.checksum.wire); begin again"
            ),
            offset: 0)
    }
}
