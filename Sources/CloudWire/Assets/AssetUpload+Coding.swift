extension AssetUploadRequest.Token: WireObject {
    static var blank: Self { Self(recordName: nil, recordType: nil, fieldName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("recordName", &recordName)
        keys.optional("recordType", &recordType)
        keys.value("fieldName", &fieldName)
        keys.check(!fieldName.isEmpty, else: "an upload token needs a fieldName")
    }
}

extension AssetUploadRequest: WireObject {
    static var blank: Self { Self(tokens: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("zoneID", &zoneID)
        keys.value("tokens", &tokens, else: "assets/upload needs tokens")
    }
}

extension AssetUploadResponse.Token: WireObject {
    static var blank: Self { Self(recordName: "", fieldName: "", url: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("recordName", &recordName)
        keys.value("fieldName", &fieldName)
        keys.value("url", &url)
        keys.check(!url.isEmpty, else: "an upload token needs a url")
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
