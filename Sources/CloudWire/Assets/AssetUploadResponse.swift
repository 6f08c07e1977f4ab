/// Body of the answer of `assets/upload`.
public struct AssetUploadResponse: Sendable, Hashable {
    /// Where to send one file, or why it cannot be sent.
    public struct Token: Sendable, Hashable {
        /// The record that may take the file; empty when the request named none that can.
        public var recordName: String
        /// The field that may take the file; empty when the request named none that can.
        public var fieldName: String
        /// Where to POST the bytes, within 15 minutes; empty when there is an error. One that was asked for with
        /// checksum and size also answers to HEAD and PATCH, see `Upload-Offset`.
        public var url: String
        /// Extension: why there is no place for this file. Others of the request have theirs.
        public var error: WireError?

        /// A place for a file.
        public init(recordName: String, fieldName: String, url: String) {
            self.recordName = recordName
            self.fieldName = fieldName
            self.url = url
        }

        /// A file that cannot be sent.
        public init(recordName: String, fieldName: String, error: WireError) {
            self.init(recordName: recordName, fieldName: fieldName, url: "")
            self.error = error
        }
    }

    /// The places, in the order of the request.
    public var tokens: [Token]

    /// An answer.
    public init(tokens: [Token]) {
        self.tokens = tokens
    }
}
