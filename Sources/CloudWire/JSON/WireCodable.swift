/// A value that writes itself as JSON. The types of this module have their forms from tables, `WireObject`.
public protocol WireEncodable {
    /// Appends this value to the writer. Faults are kept by the writer and thrown by ``wireJSON()``.
    func write(to writer: inout JSONWriter)
}

/// A value that reads itself from JSON, leniently: unknown keys are skipped, an explicit null is an absent key.
public protocol WireDecodable {
    /// Reads one value at the reader's position.
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self
}

/// A value with both directions.
public typealias WireCodable = WireEncodable & WireDecodable

extension WireEncodable {
    /// This value as UTF-8 JSON without white space. The bytes depend on the value alone (keys of dictionaries are
    /// sorted), so a message that is sent again hashes the same.
    ///
    /// - Throws: ``WireCodingError`` when a number has no JSON form (NaN, infinity); the message names the field.
    public func wireJSON() throws(WireCodingError) -> [UInt8] {
        try wireJSON(numbersAsStrings: false)
    }

    /// The same, with the numbers of fields as strings when the request asked for that.
    package func wireJSON(numbersAsStrings: Bool) throws(WireCodingError) -> [UInt8] {
        var writer = JSONWriter()
        writer.numbersAsStrings = numbersAsStrings
        write(to: &writer)
        return try writer.finish()
    }
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
