/// A value that writes itself as JSON. The types of this module have their forms from tables, `WireObject`.
public protocol WireEncodable {
    /// Appends this value to the writer. Faults are kept by the writer and thrown by ``wireJSON()``.
    func write(to writer: inout JSONWriter)
}

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
