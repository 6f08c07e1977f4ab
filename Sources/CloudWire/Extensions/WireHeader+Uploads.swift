/// Names of the headers with which an upload goes on where it broke off: an extension.
extension WireHeader {
    /// Request by PATCH: at which byte of the file its body begins. Answer: how many bytes of the file the server has.
    package static let uploadOffset = "Upload-Offset"
    /// Answer to HEAD: how many bytes the file has.
    package static let uploadLength = "Upload-Length"
}
