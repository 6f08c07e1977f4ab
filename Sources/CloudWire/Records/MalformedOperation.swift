/// An operation that is JSON but no operation. Others of its request are none the worse for it.
package struct MalformedOperation: Sendable, Hashable, Error {
    /// Name of the record, if the operation had one.
    package var recordName: String?
    /// The operation was read as a deletion or save of this name, and failed for this reason.
    package var reason: String

    /// Reads one operation, or finds out what is wrong with it.
    ///
    /// - Throws: only when the bytes are no acceptable JSON, so that the rest of the message cannot be trusted.
    static func readOperation(
        from reader: inout JSONReader
    ) throws(WireCodingError) -> Result<RecordOperation, MalformedOperation> {
        let mark = reader.mark
        do throws(WireCodingError) {
            return .success(try RecordOperation.read(from: &reader))
        } catch {
            guard error.kind == .value else { throw error }
            reader.rewind(to: mark)
            let name = try recordName(from: &reader)
            return .failure(MalformedOperation(recordName: name, reason: error.description))
        }
    }

    /// Skips the operation, looking for the name of its record.
    private static func recordName(from reader: inout JSONReader) throws(WireCodingError) -> String? {
        var name: String?
        guard try reader.enters() else { return nil }
        while let key = try reader.nextKey() {
            guard case "record" = key, try reader.enters() else {
                if case "record" = key { continue }
                try reader.skip()
                continue
            }
            while let inner = try reader.nextKey() {
                reader.skipWhitespace()
                if case "recordName" = inner, reader.peek() == UInt8(ascii: "\"") {
                    name = try reader.readString()
                } else {
                    try reader.skip()
                }
            }
        }
        return name
    }
}

extension JSONReader {
    /// Enters an object when the next value is one; otherwise skips the value.
    fileprivate mutating func enters() throws(WireCodingError) -> Bool {
        skipWhitespace()
        guard peek() == UInt8(ascii: "{") else {
            try skip()
            return false
        }
        try enterObject()
        return true
    }
}
