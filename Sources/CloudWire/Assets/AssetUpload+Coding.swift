extension AssetUploadRequest.Token: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optionalString("recordName", recordName)
        writer.optionalString("recordType", recordType)
        writer.key("fieldName")
        writer.string(fieldName)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> AssetUploadRequest.Token {
        var token = AssetUploadRequest.Token(recordName: nil, recordType: nil, fieldName: "")
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "recordName": token.recordName = try reader.readStringOrNull()
            case "recordType": token.recordType = try reader.readStringOrNull()
            case "fieldName": token.fieldName = try reader.readStringOrNull() ?? ""
            default: try reader.skip()
            }
        }
        guard !token.fieldName.isEmpty else { throw reader.wrongValue("an upload token needs a fieldName") }
        return token
    }
}

extension AssetUploadRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional("zoneID", zoneID)
        writer.array("tokens", tokens)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> AssetUploadRequest {
        var zoneID: ZoneID?
        var tokens: [Token]?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneID": zoneID = try reader.readOrNull(ZoneID.self)
            case "tokens": tokens = try reader.readArrayOrNull(of: Token.self)
            default: try reader.skip()
            }
        }
        guard let tokens else { throw reader.wrongValue("assets/upload needs tokens") }
        return AssetUploadRequest(zoneID: zoneID, tokens: tokens)
    }
}

extension AssetUploadResponse.Token: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("recordName")
        writer.string(recordName)
        writer.key("fieldName")
        writer.string(fieldName)
        writer.key("url")
        writer.string(url)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> AssetUploadResponse.Token {
        var token = AssetUploadResponse.Token(recordName: "", fieldName: "", url: "")
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "recordName": token.recordName = try reader.readStringOrNull() ?? ""
            case "fieldName": token.fieldName = try reader.readStringOrNull() ?? ""
            case "url": token.url = try reader.readStringOrNull() ?? ""
            default: try reader.skip()
            }
        }
        guard !token.url.isEmpty else { throw reader.wrongValue("an upload token needs a url") }
        return token
    }
}

extension AssetUploadResponse: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("tokens", tokens)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> AssetUploadResponse {
        var response = AssetUploadResponse(tokens: [])
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "tokens": response.tokens = try reader.readArray(of: Token.self)
            default: try reader.skip()
            }
        }
        return response
    }
}

extension AssetUploadReceipt: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("singleFile")
        singleFile.write(to: &writer)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> AssetUploadReceipt {
        var asset: WireAsset?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "singleFile": asset = try reader.readOrNull(WireAsset.self)
            default: try reader.skip()
            }
        }
        guard let asset else { throw reader.wrongValue("an upload's answer needs singleFile") }
        return AssetUploadReceipt(singleFile: asset)
    }
}
