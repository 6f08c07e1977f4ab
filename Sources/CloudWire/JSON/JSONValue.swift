import BackstitchSupport

/// A value for a key or an array element. (``WireEncodable`` and ``WireDecodable`` require the same, but all rooms see
/// them, and the standard library's own types conform to nothing outside this room.)
protocol JSONValue {
    func write(to writer: inout JSONWriter)
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self
}

/// A short string: a name, a word or a mark. Long texts are read by lines of their own (``KeyCoding/text(_:_:most:)``).
extension String: JSONValue {
    func write(to writer: inout JSONWriter) { writer.string(self) }
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> String { try reader.readName() }
}

extension Bool: JSONValue {
    func write(to writer: inout JSONWriter) { writer.bool(self) }
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Bool { try reader.readBool() }
}

extension Int64: JSONValue {
    func write(to writer: inout JSONWriter) { writer.int(self) }
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Int64 { try reader.readInt64() }
}

/// A count, for instance a limit: an integer that is not negative.
extension Int: JSONValue {
    func write(to writer: inout JSONWriter) { writer.int(self) }
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Int { try reader.readCount() }
}

/// A number of a location. Fields write their own numbers.
extension Double: JSONValue {
    func write(to writer: inout JSONWriter) {
        let field = writer.locationField
        writer.double(self, field.map { "field '\($0)'" } ?? "location")
    }

    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Double { try reader.readDouble() }
}

extension Array: JSONValue where Element: JSONValue {
    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(to: &writer) }
        writer.endArray()
    }

    static func read(from reader: inout JSONReader) throws(WireCodingError) -> [Element] {
        try reader.readArray(Element.read)
    }
}
