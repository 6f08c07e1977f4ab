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

/// Body of the answer to the bytes of a file: the value to put into the record's field.
public struct AssetUploadReceipt: Sendable, Hashable {
    /// The asset, with its receipt.
    public var singleFile: WireAsset

    /// An answer.
    public init(singleFile: WireAsset) {
        self.singleFile = singleFile
    }
}
