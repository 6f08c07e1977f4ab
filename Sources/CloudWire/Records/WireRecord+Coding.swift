extension WireRecord: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if !recordName.isEmpty {
            writer.key("recordName")
            writer.string(recordName)
        }
        writer.optionalString("recordType", recordType)
        if !deleted || !fields.isEmpty {
            writer.key("fields")
            if let encodedFields {
                writer.raw(encodedFields)
            } else {
                Self.writeFields(fields, of: recordName, to: &writer)
            }
        }
        writer.optionalString("recordChangeTag", recordChangeTag)
        if let created, let modified {
            // Only servers set these; real ones send the two constant keys with every record.
            writer.key("pluginFields")
            writer.raw("{}".utf8)
            writer.key("created")
            created.write(to: &writer)
            writer.key("modified")
            modified.write(to: &writer)
            writer.optionalBool("deleted", deleted)
        } else if deleted {
            writer.optionalBool("deleted", true)
        }
        writer.optional("zoneID", zoneID)
        if let parent {
            writer.key("parent")
            writer.beginObject()
            writer.key("recordName")
            writer.string(parent.recordName)
            writer.endObject()
        }
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireRecord {
        var record = WireRecord(recordName: "")
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if try !record.read(key, from: &reader) { try reader.skip() }
        }
        return record
    }

    /// Reads the value of a key that belongs to records; false (and nothing read) for other keys.
    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(WireCodingError) -> Bool {
        switch key {
        case "recordName": recordName = try reader.readStringOrNull() ?? ""
        case "recordType": recordType = try reader.readStringOrNull()
        case "recordChangeTag": recordChangeTag = try reader.readStringOrNull()
        case "fields":
            if try reader.readNull() { return true }
            let read = try Fields.read(from: &reader)
            fields = read.values
            inferredFields = read.inferred
            encryptedFields = read.encrypted
        case "created": created = try reader.readOrNull(WireStamp.self)
        case "modified": modified = try reader.readOrNull(WireStamp.self)
        case "deleted": deleted = try reader.readBoolOrNull() ?? false
        case "zoneID": zoneID = try reader.readOrNull(ZoneID.self)
        case "parent": parent = try reader.readOrNull(WireReference.self)
        default: return false
        }
        return true
    }
}
