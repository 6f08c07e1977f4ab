/// Body of `assets/upload`: asks for places to which files can be sent.
public struct AssetUploadRequest: Sendable, Hashable {
    /// One file to come.
    public struct Token: Sendable, Hashable {
        /// The record that will take the file; nil asks the server for a name.
        public var recordName: String?
        /// The type of that record.
        public var recordType: String?
        /// The field that will take the file.
        public var fieldName: String
        /// Extension: the checksum of the file, as the server's receipts have it. With ``size`` it asks for an address
        /// that goes on where an upload broke off.
        public var fileChecksum: String?
        /// Extension: the bytes of the file; goes with ``fileChecksum``.
        public var size: Int64?

        /// A file to come.
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
    /// The files to come.
    public var tokens: [Token]

    /// Files that could not be read, by their place in the request. ``tokens`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    /// A request for some places.
    public init(zoneID: ZoneID? = nil, tokens: [Token]) {
        self.zoneID = zoneID
        self.tokens = tokens
    }
}
