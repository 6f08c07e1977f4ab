extension AssetUploadRequest.Token: WireObject {
    static var blank: Self { Self(recordName: nil, recordType: nil, fieldName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("recordName", &recordName)
        keys.optional("recordType", &recordType)
        keys.value("fieldName", &fieldName)
        keys.optional("fileChecksum", &fileChecksum)
        keys.optional("size", &size)
        keys.check(!fieldName.isEmpty, else: "an upload token needs a fieldName")
    }
}

extension AssetUploadRequest: WireObject {
    static var blank: Self { Self(tokens: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("zoneID", &zoneID)
        keys.items("tokens", &tokens, &malformed, named: [["recordName"]], else: "assets/upload needs tokens")
    }
}

extension AssetUploadResponse.Token: WireDrafted {
    /// The keys of an upload address and of an error. The given keys decide which of the two the element is.
    struct Draft: WireObject {
        var token: AssetUploadResponse.Token
        var error = ErrorKeys.blank

        static var blank: Self { Self(token: .init(recordName: "", fieldName: "", url: "")) }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.value("recordName", &token.recordName, if: !token.recordName.isEmpty)
            keys.value("fieldName", &token.fieldName, if: !token.fieldName.isEmpty)
            keys.opaque("url", &token.url, if: !error.isGiven)
            error.code(&keys)
            keys.check(!token.url.isEmpty || error.isGiven, else: "an upload token needs a url")
        }
    }

    var draft: Draft { Draft(token: self, error: error?.draft ?? .blank) }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        self = draft.token
        error = draft.error.error
    }
}

extension AssetUploadResponse: WireObject {
    static var blank: Self { Self(tokens: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.nonNull("tokens", &tokens) }
}

extension AssetUploadReceipt: WireObject {
    static var blank: Self { Self(singleFile: .blank) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("singleFile", &singleFile, else: "an upload's answer needs singleFile")
    }
}
