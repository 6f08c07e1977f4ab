extension JSONReader {
    /// Reads an array; `element` reads one element at a time.
    mutating func readArray<Element>(
        _ element: (inout JSONReader) throws(WireCodingError) -> Element
    ) throws(WireCodingError) -> [Element] {
        var result: [Element] = []
        try enterArray()
        while try nextElement() { result.append(try element(&self)) }
        return result
    }
}
