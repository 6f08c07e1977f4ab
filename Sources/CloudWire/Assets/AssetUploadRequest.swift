/// Body of `assets/upload`: asks for addresses to send files to.
public struct AssetUploadRequest: Sendable, Hashable {
    /// One file that will be sent.
    public struct Token: Sendable, Hashable {
        /// The record that will take the file; nil asks the server for a name.
        public var recordName: String?
        /// The type of that record, by its name.
        public var recordType: String?
        /// The field that will take the file.
        public var fieldName: String
        /// Extension: the checksum of the file, in the form of the server's receipts. With ``size`` it asks for an
        /// address that can continue an interrupted upload.
        public var fileChecksum: String?
        /// Extension: the length of the file in bytes, together with ``fileChecksum``.
        public var size: Int64?

        /// Creates the description of a file.
        public init(
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
    public var zoneID: ZoneID?
    /// The files that will be sent.
    public var tokens: [Token]

    /// Files that could not be read, by their position in the request. ``tokens`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    /// Creates a request for some upload addresses.
    public init(zoneID: ZoneID? = nil, tokens: [Token]) {
        self.zoneID = zoneID
        self.tokens = tokens
    }
}
