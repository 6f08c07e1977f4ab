/// Body of `assets/rereference`: asks for what it takes to put files that records have into other records, without
/// sending the bytes again.
public struct AssetRereferenceRequest: Sendable, Hashable {
    /// A file that a record has.
    public struct Source: Sendable, Hashable {
        /// The record that has the file.
        public var recordName: String
        /// The field of the file.
        public var fieldName: String
        /// Extension: which of the files is meant, of a field that has a list of several.
        public var fileChecksum: String?

        /// A file of a record.
        public init(recordName: String, fieldName: String, fileChecksum: String? = nil) {
            self.recordName = recordName
            self.fieldName = fieldName
            self.fileChecksum = fileChecksum
        }
    }

    /// The zone of the records; nil means the default zone.
    public var zoneID: ZoneID?
    /// The files.
    public var assets: [Source]

    /// Files that could not be read, by their place in the request. ``assets`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    /// A request for some files.
    public init(zoneID: ZoneID? = nil, assets: [Source]) {
        self.zoneID = zoneID
        self.assets = assets
    }
}

/// Body of the answer of `assets/rereference`.
public struct AssetRereferenceResponse: Sendable, Hashable {
    /// The answer about one file.
    public enum Asset: Sendable, Hashable {
        /// The value to put into another record's field, with its receipt.
        case asset(WireAsset)
        /// Why there is none. Others of the request have theirs.
        case error(recordName: String, fieldName: String, WireError)
    }

    /// The values, in the order of the request.
    public var assets: [Asset]

    /// An answer.
    public init(assets: [Asset]) {
        self.assets = assets
    }
}

extension AssetRereferenceRequest.Source: WireObject {
    static var blank: Self { Self(recordName: "", fieldName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("recordName", &recordName, else: "an asset to refer to needs a recordName")
        keys.value("fieldName", &fieldName, else: "an asset to refer to needs a fieldName")
        keys.optional("fileChecksum", &fileChecksum)
    }
}

extension AssetRereferenceRequest: WireObject {
    static var blank: Self { Self(assets: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("zoneID", &zoneID)
        keys.items("assets", &assets, &malformed, named: [["recordName"]], else: "assets/rereference needs assets")
    }
}

extension AssetRereferenceResponse.Asset: WireDrafted {
    /// The keys of an asset and those of an error. Which of them are given tells what the element is.
    struct Draft: WireObject {
        var recordName = ""
        var fieldName = ""
        var fileChecksum: String?
        var size: Int64?
        var receipt: String?
        var wrappingKey: String?
        var referenceChecksum: String?
        var error = ErrorKeys.blank

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.value("recordName", &recordName, if: !recordName.isEmpty)
            keys.value("fieldName", &fieldName, if: !fieldName.isEmpty)
            keys.optional("fileChecksum", &fileChecksum)
            keys.optional("size", &size)
            keys.opaque("receipt", &receipt)
            keys.optional("wrappingKey", &wrappingKey)
            keys.optional("referenceChecksum", &referenceChecksum)
            error.code(&keys)
            keys.check(fileChecksum != nil || error.isGiven, else: "an asset needs a fileChecksum")
        }
    }

    var draft: Draft {
        switch self {
        case .asset(let asset):
            Draft(
                fileChecksum: asset.fileChecksum, size: asset.size, receipt: asset.receipt,
                wrappingKey: asset.wrappingKey, referenceChecksum: asset.referenceChecksum)
        case .error(let recordName, let fieldName, let error):
            Draft(recordName: recordName, fieldName: fieldName, error: error.draft)
        }
    }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        if let error = draft.error.error {
            self = .error(recordName: draft.recordName, fieldName: draft.fieldName, error)
        } else {
            self = .asset(
                WireAsset(
                    fileChecksum: draft.fileChecksum ?? "", size: draft.size ?? 0, receipt: draft.receipt,
                    wrappingKey: draft.wrappingKey, referenceChecksum: draft.referenceChecksum))
        }
    }
}

extension AssetRereferenceResponse: WireObject {
    static var blank: Self { Self(assets: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.nonNull("assets", &assets) }
}
