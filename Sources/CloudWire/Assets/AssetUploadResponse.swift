/// Body of the answer of `assets/upload`.
package struct AssetUploadResponse: Sendable, Hashable {
    /// The address for one file, or the reason why the file cannot be sent.
    package struct Token: Sendable, Hashable {
        /// The record that may take the file; empty if the request named no suitable one.
        package var recordName: String
        /// The field that may take the file; empty if the request named no suitable one.
        package var fieldName: String
        /// The address for a POST of the bytes, valid for 15 minutes; empty if there is an error. If the request gave
        /// checksum and size, the address also answers to HEAD and PATCH, see `Upload-Offset`.
        package var url: String
        /// Extension: the reason why this file has no address. Other files of the request still have theirs.
        package var error: WireError?

        package init(recordName: String, fieldName: String, url: String) {
            self.recordName = recordName
            self.fieldName = fieldName
            self.url = url
        }

        /// Creates the answer for a file that cannot be sent.
        package init(recordName: String, fieldName: String, error: WireError) {
            self.init(recordName: recordName, fieldName: fieldName, url: "")
            self.error = error
        }
    }

    /// The addresses, in the order of the request.
    package var tokens: [Token]

    package init(tokens: [Token]) {
        self.tokens = tokens
    }
}
