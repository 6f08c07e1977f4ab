/// A value that reads itself from JSON, leniently: unknown keys are skipped, an explicit null is an absent key.
public protocol WireDecodable {
    /// Reads one value at the reader's position.
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self
}

extension WireDecodable {
    /// Reads one value from a whole JSON message.
    ///
    /// - Throws: ``WireCodingError`` with the byte offset of the fault.
    public init(wireJSON bytes: some Sequence<UInt8>) throws(WireCodingError) {
        self = try JSONReader.read(bytes, Self.read)
    }

    /// Reads one value from a server's whole answer, or from what was kept of one. A record of which a field cannot be
    /// read leaves the others of the answer whole: it has ``WireRecord/faultyFields``.
    ///
    /// - Throws: As ``init(wireJSON:)`` for any other fault.
    package init(wireAnswer bytes: some Sequence<UInt8>) throws(WireCodingError) {
        self = try JSONReader.read(bytes, keepsFaultyFields: true, Self.read)
    }
}
