import BackstitchSupport

/// One of several words.
protocol JSONWord: JSONValue, RawRepresentable<String> {
    /// The name of this kind of word, in the error about a text that is none of them.
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
