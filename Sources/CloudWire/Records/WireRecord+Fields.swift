import BackstitchSupport

extension WireRecord {
    /// The fields object of a record, with the names of fields whose types are guesses.
    package struct Fields: Sendable {
        package var values: [String: WireValue?] = [:]
        package var inferred: Set<String> = []
        package var encrypted: Set<String> = []
        /// The fault of the first unreadable field, see ``FaultyFields``.
        private(set) var fault: String?

        package init() {}

        package init(json: [UInt8]) throws(WireCodingError) {
            self = try JSONReader.read(json, Self.read)
        }

        static func read(from reader: inout JSONReader) throws(WireCodingError) -> Fields {
            var fields = Fields()
            fields.values.reserveCapacity(12)
            try reader.enterObject()
            while let key = try reader.nextKey() {
                if try reader.readNull() { continue }
                let mark = reader.mark
                do throws(WireCodingError) {
                    try fields.add(key, from: &reader)
                } catch {
                    guard reader.keepsFaultyFields, error.kind == .value else { throw error }
                    if fields.fault == nil { fields.fault = error.message }
                    reader.rewind(to: mark)
                    try reader.skip()
                }
            }
            return fields
        }

        private mutating func add(_ key: JSONKey, from reader: inout JSONReader) throws(WireCodingError) {
            let name = try Self.fieldName(key, reader)
            let field: WireField
            do throws(WireCodingError) {
                field = try WireField.read(from: &reader)
            } catch {
                throw error.kind == .value ? error.naming(field: name) : error
            }
            values[name] = .some(field.value)
            if field.isInferred { inferred.insert(name) }
            if field.isEncrypted { encrypted.insert(name) }
        }

        /// The name of a field. It is ASCII, so a dictionary compares its bytes.
        private static func fieldName(
            _ key: JSONKey, _ reader: borrowing JSONReader
        ) throws(WireCodingError) -> String {
            guard key.bytes.count <= JSONReader.mostBytesOfName, key.bytes.allSatisfy({ $0 < 0x80 }) else {
                throw reader.wrongValue(
                    "field name '\(key.string.shown())' must be 1 to 255 letters, digits and '_' and start with a letter"
                )
            }
            return key.string
        }
    }

    /// Writes a fields object. Its keys are sorted, so that equal fields give equal bytes. Cleared fields become
    /// `{"value":null}`.
    package static func writeFields(_ fields: [String: WireValue?], of name: String, to writer: inout JSONWriter) {
        writer.beginObject()
        for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
            writer.key(field)
            if let value {
                value.write(to: &writer, field: field)
            } else {
                writer.raw("{\"value\":null}".utf8)
            }
        }
        writer.endObject()
    }

    /// Encodes a fields object as JSON.
    package static func encodeFields(_ fields: [String: WireValue?], of name: String) throws(WireCodingError) -> [UInt8]
    {
        var writer = JSONWriter(capacity: 256)
        writeFields(fields, of: name, to: &writer)
        return try writer.finish()
    }
}

extension WireCodingError {
    /// The same error with the name of a field in front of its message.
    func naming(field: String) -> WireCodingError {
        WireCodingError(kind: kind, message: "field '\(field)': \(message)", offset: offset)
    }
}
