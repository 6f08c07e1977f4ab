/// A value that reads itself from JSON leniently: unknown keys are skipped, and null means an absent key.
package protocol WireDecodable {
    /// Reads one value at the reader's position.
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self
}

extension WireDecodable {
    /// Reads one value from a whole JSON message.
    ///
    /// - Throws: ``WireCodingError`` with the byte offset of the fault.
    package init(wireJSON bytes: some Sequence<UInt8>) throws(WireCodingError) {
        self = try JSONReader.read(bytes, Self.read)
    }

    /// Reads one value from a server's whole answer, or from a stored part of one. An unreadable field of a record
    /// leaves the other records valid: the record has ``WireRecord/faultyFields``.
    ///
    /// - Throws: ``WireCodingError`` for any other fault.
    package init(wireAnswer bytes: some Sequence<UInt8>) throws(WireCodingError) {
        self = try JSONReader.read(bytes, keepsFaultyFields: true, Self.read)
    }
}
