/// Body of `assets/upload`: asks for addresses to send files to.
package struct AssetUploadRequest: Sendable, Hashable {
    /// One file that will be sent.
    package struct Token: Sendable, Hashable {
        /// The record that will take the file; nil asks the server for a name.
        package var recordName: String?
        /// The type of that record, by its name.
        package var recordType: String?
        /// The field that will take the file.
        package var fieldName: String
        /// Extension: the checksum of the file, in the form of the server's receipts. With ``size`` it asks for an
        /// address that can continue an interrupted upload.
        package var fileChecksum: String?
        /// Extension: the length of the file in bytes, together with ``fileChecksum``.
        package var size: Int64?

        package init(
            recordName: String?, recordType: String?, fieldName: String, fileChecksum: String? = nil, size: Int64? = nil
        ) {
            self.recordName = recordName
            self.recordType = recordType
            self.fieldName = fieldName
            self.fileChecksum = fileChecksum
            self.size = size
        }
    }

    /// The zone of the records; nil means the default zone.
    package var zoneID: ZoneID?
    /// The files that will be sent.
    package var tokens: [Token]

    /// Files that could not be read, by their position in the request. ``tokens`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    package init(zoneID: ZoneID? = nil, tokens: [Token]) {
        self.zoneID = zoneID
        self.tokens = tokens
    }
}
