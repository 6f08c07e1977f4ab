import BackstitchSupport

/// A value that is one of several words.
protocol JSONWord: JSONValue, RawRepresentable<String> {
    /// The name for this kind of word, in the error about an unknown one.
    static var noun: String { get }
}

extension JSONWord {
    func write(to writer: inout JSONWriter) { writer.string(rawValue) }

    static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self {
        let mark = reader.mark
        if let known = try reader.readWord(Self.self) { return known }
        reader.rewind(to: mark)
        throw reader.wrongValue("unknown \(noun) '\(try reader.readString().shown())'")
    }
}
