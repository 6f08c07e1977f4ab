extension JSONReader {
    /// A request with more elements that cannot be read than this is none: keeping what is wrong with each takes more
    /// memory than the elements themselves.
    static let maximumMalformedItems = 4096

    /// An array whose elements are read each by itself: one of the wrong shape goes into `malformed`, under its place.
    ///
    /// - Parameter paths: The keys behind which an element has its name, to be tried in this order; no key where its
    ///   name is the element itself.
    /// - Throws: only when the bytes are no acceptable JSON, so that the rest of the message cannot be trusted.
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

    /// Skips the element at the mark, which could not be read, and looks for its name.
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

    /// Reads past one value. Returns the part of it that stands behind the keys of the path, if it has the type.
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
