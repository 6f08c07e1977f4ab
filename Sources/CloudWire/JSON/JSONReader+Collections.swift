extension JSONReader {
    /// An array whose elements `element` reads one at a time.
    mutating func readArray<Element>(
        _ element: (inout JSONReader) throws(WireCodingError) -> Element
    ) throws(WireCodingError) -> [Element] {
        var result: [Element] = []
        try enterArray()
        while try nextElement() { result.append(try element(&self)) }
        return result
    }

    mutating func readArray<Element: WireDecodable>(of _: Element.Type) throws(WireCodingError) -> [Element] {
        try readArray(Element.read)
    }

    mutating func readArrayOrNull<Element: WireDecodable>(
        of _: Element.Type
    ) throws(WireCodingError) -> [Element]? {
        try readNull() ? nil : try readArray(Element.read)
    }

    mutating func readStringsOrNull() throws(WireCodingError) -> [String]? {
        try readNull() ? nil : try readArray { (reader) throws(WireCodingError) in try reader.readString() }
    }

    mutating func readOrNull<Value: WireDecodable>(_: Value.Type) throws(WireCodingError) -> Value? {
        try readNull() ? nil : try Value.read(from: &self)
    }
}
