extension WireRecord: WireObject {
    static var blank: Self { Self(recordName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        // Change feeds have the tag of a deletion, answers to operations do not.
        let isTombstone = deleted && recordChangeTag != nil
        // Only servers set these. Apple's servers send the constant key, and the deletion flag, with every record.
        let isServed = created != nil && modified != nil
        Self.codeName(&recordName, &keys)
        // A deletion in a feed has a null type, as in CloudKit.
        keys.field("recordType", if: recordType != nil || isTombstone, else: nil) {
            if let recordType { $0.string(recordType) } else { $0.null() }
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { recordType = try reader.readName() }
            return true
        }
        keys.field("fields", if: !deleted || !fields.isEmpty, else: nil) {
            if let encoded = faultyFields?.json ?? encodedFields {
                $0.raw(encoded)
            } else {
                Self.writeFields(fields, of: recordName, to: &$0)
            }
        } read: { (reader) throws(WireCodingError) in
            if try reader.readNull() { return false }
            let start = reader.position
            let read = try Fields.read(from: &reader)
            fields = read.values
            inferredFields = read.inferred
            encryptedFields = read.encrypted
            if let fault = read.fault {
                faultyFields = FaultyFields(reason: fault, json: Array(reader.bytes[start..<reader.position]))
            }
            return true
        }
        keys.optional("recordChangeTag", &recordChangeTag)
        keys.constant("pluginFields", "{}", if: isServed)
        keys.computed("created", created, if: isServed) { created = $0 }
        keys.computed("modified", modified, if: isServed) { modified = $0 }
        keys.value("deleted", &deleted, if: isServed || deleted)
        keys.computed("zoneID", zoneID) { zoneID = $0 }
        keys.field("parent", if: parent != nil, else: nil) {
            guard let parent else { return }
            $0.beginObject()
            $0.key("recordName")
            $0.string(parent.recordName)
            $0.endObject()
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { parent = try WireReference.read(from: &reader) }
            return true
        }
        keys.computed("clearsParent", clearsParent, if: clearsParent) { clearsParent = $0 }
        keys.computed("movedTo", movedTo) { movedTo = $0 }
        codeShare(&keys)
    }

    /// The line for the name, which errors about a record share.
    @inline(__always)
    static func codeName(_ name: inout String, _ keys: inout some KeyCoder) {
        keys.value("recordName", &name, if: !name.isEmpty)
    }
}
