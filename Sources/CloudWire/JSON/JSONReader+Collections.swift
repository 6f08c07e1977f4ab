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
}
