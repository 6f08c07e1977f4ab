extension JSONReader {
    /// The most unreadable elements in a request. The whole request is refused beyond it, because the reports about the
    /// elements take more memory than the elements themselves.
    static let maximumMalformedItems = 4096

    /// Reads an array element by element. An element of the wrong form is added to `malformed` under its position.
    ///
    /// - Parameter paths: The paths of keys to an element's name, tried in this order. An empty path means that the
    ///   element itself is its name.
    /// - Throws: Only when the bytes are not acceptable JSON, because the rest of the message is then unreliable.
    @inline(__always)
    mutating func readItems<Item, Name: JSONValue>(
        _ items: inout [Item], _ malformed: inout [Int: MalformedItem<Name>], named paths: () -> [[StaticString]],
        _ read: (inout JSONReader) throws(WireCodingError) -> Item
    ) throws(WireCodingError) {
        try enterArray()
        var place = 0
        while try nextElement() {
            let mark = mark
            do throws(WireCodingError) {
                items.append(try read(&self))
            } catch {
                malformed[place] = try refuse(error, malformed.count, paths(), from: mark)
            }
            place += 1
        }
    }

    /// Skips the unreadable element at the mark, and looks for its name.
    private mutating func refuse<Name: JSONValue>(
        _ fault: WireCodingError, _ count: Int, _ paths: [[StaticString]], from mark: Mark
    ) throws(WireCodingError) -> MalformedItem<Name> {
        guard fault.kind == .value else { throw fault }
        guard count < Self.maximumMalformedItems else {
            throw syntax("more than \(Self.maximumMalformedItems) elements that cannot be read")
        }
        var item = MalformedItem<Name>(reason: fault.description)
        for path in paths where item.name == nil {
            rewind(to: mark)
            item.name = try value(behind: path[...])
        }
        return item
    }

    /// Reads past one value. Returns the part at the end of the path, if it has the requested type.
    private mutating func value<Value: JSONValue>(
        behind path: ArraySlice<StaticString>
    ) throws(WireCodingError) -> Value? {
        let mark = mark
        guard let name = path.first else {
            do throws(WireCodingError) { return try Value.read(from: &self) } catch {
                guard error.kind == .value else { throw error }
                rewind(to: mark)
                try skip()
                return nil
            }
        }
        skipWhitespace()
        guard peek() == UInt8(ascii: "{") else {
            try skip()
            return nil
        }
        try enterObject()
        var found: Value?
        while let key = try nextKey() {
            if name ~= key { found = try value(behind: path.dropFirst()) } else { try skip() }
        }
        return found
    }
}
