import BackstitchSupport
import CloudWire

/// The refusal of a part of a file. The client may send the file from the byte `offset` on.
struct UploadRefusal: Error {
    let error: WireError
    let offset: Int64

    /// The server has another number of bytes than the client assumes.
    static func elsewhere(_ offset: Int64, has size: Int64) -> UploadRefusal {
        UploadRefusal(
            error: WireError(
                .conflict, "the server has \(size) bytes of the file, so it does not take it from byte \(offset)"),
            offset: size)
    }

    /// Another request is sending the same file.
    static func busy(_ size: Int64) -> UploadRefusal {
        UploadRefusal(
            error: WireError(
                .conflict, "another request is sending this file now; ask with HEAD how many bytes have arrived",
                retryAfter: 1),
            offset: size)
    }

    /// All bytes have arrived, but their checksum differs from the announced one.
    static func otherContent(_ content: AssetReceipts.Content) -> UploadRefusal {
        UploadRefusal(
            error: WireError(
                .badRequest,
                "the \(content.size) bytes that arrived do not match the checksum \(content.checksum.wire); begin again"
            ),
            offset: 0)
    }
}
