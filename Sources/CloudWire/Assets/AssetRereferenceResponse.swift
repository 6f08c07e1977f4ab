/// Body of the answer of `assets/rereference`.
package struct AssetRereferenceResponse: Sendable, Hashable {
    /// The answer about one file.
    package enum Asset: Sendable, Hashable {
        /// The value for another record's field, with its receipt.
        case asset(WireAsset)
        /// The reason why there is no value. Other files of the request still have theirs.
        case error(recordName: String, fieldName: String, WireError)
    }

    /// The values, in the order of the request.
    package var assets: [Asset]

    package init(assets: [Asset]) {
        self.assets = assets
    }
}

extension AssetRereferenceResponse.Asset: WireDrafted {
    /// The keys of an asset and of an error. The given keys decide which of the two the element is.
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
