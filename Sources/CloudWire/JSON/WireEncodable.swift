/// A value that writes itself as JSON. The types of this module get their form from tables, `WireObject`.
package protocol WireEncodable {
    /// Appends this value to the writer. The writer keeps faults, and ``wireJSON()`` throws them.
    func write(to writer: inout JSONWriter)
}

extension WireEncodable {
    /// The value as UTF-8 JSON without white space. The bytes depend only on the value, because the keys of
    /// dictionaries are sorted. So a repeated message has the same hash.
    ///
    /// - Throws: ``WireCodingError`` when a number has no JSON form (NaN, infinity); the message names the field.
    package func wireJSON() throws(WireCodingError) -> [UInt8] {
        try wireJSON(numbersAsStrings: false)
    }

    /// The value as UTF-8 JSON; the numbers of fields are strings if the request asked for that.
    package func wireJSON(numbersAsStrings: Bool) throws(WireCodingError) -> [UInt8] {
        var writer = JSONWriter()
        writer.numbersAsStrings = numbersAsStrings
        write(to: &writer)
        return try writer.finish()
    }
}
