/// Names of the headers for continuing an interrupted upload: an extension.
extension WireHeader {
    /// Request by PATCH: the position in the file for the first byte of the body. Answer: the number of bytes that the
    /// server already has.
    package static let uploadOffset = "Upload-Offset"
    /// Answer to HEAD: the length of the file in bytes.
    package static let uploadLength = "Upload-Length"
}
