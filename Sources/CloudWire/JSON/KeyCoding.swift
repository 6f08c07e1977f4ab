/// One direction of a table of keys (``WireObject/code(_:)``): the writer writes each key that is given, the reader
/// offers the key that it has met to each line, and the line that has this name reads the value.
protocol KeyCoding: ~Copyable {
    /// One line of a table, the one that all others are made of.
    ///
    /// - Parameters:
    ///   - isWritten: whether the key is to be written.
    ///   - missing: the error when an object does not have the key, or has null; nil when it need not.
    ///   - write: writes one value.
    ///   - read: reads one value; false when the key counts as missing nevertheless.
    mutating func field(
        _ name: StaticString, if isWritten: Bool, else missing: StaticString?, write: (inout JSONWriter) -> Void,
        read: (inout JSONReader) throws(WireCodingError) -> Bool)

    /// Refuses an object that was read, unless the condition holds.
    mutating func check(_ holds: Bool, else fault: StaticString)
}

/// The kinds of lines. Each is inlined into its table, where nothing is left but a comparison of names and the call
/// that reads or writes the value.
extension KeyCoding where Self: ~Copyable {
    /// A value that may be absent; null is as good as absent.
    @inline(__always)
    mutating func optional<Value: JSONValue>(_ name: StaticString, _ value: inout Value?, if isWritten: Bool = true) {
        field(name, if: isWritten && value != nil, else: nil) {
            value?.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { value = try Value.read(from: &reader) }
            return true
        }
    }

    /// A value that may be absent, and that is computed: to have it changed in place would take it out and put it back
    /// at each look at the table.
    @inline(__always)
    mutating func computed<Value: JSONValue>(
        _ name: StaticString, _ value: Value?, if isWritten: Bool = true, set: (Value) -> Void
    ) {
        field(name, if: isWritten && value != nil, else: nil) {
            value?.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { set(try Value.read(from: &reader)) }
            return true
        }
    }

    /// A value that is always there. Reading, null is as good as absent: the value stays as in ``WireObject/blank``,
    /// or is `missing`.
    @inline(__always)
    mutating func value<Value: JSONValue>(
        _ name: StaticString, _ value: inout Value, if isWritten: Bool = true, else missing: StaticString? = nil
    ) {
        field(name, if: isWritten, else: missing) {
            value.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            if try reader.readNull() { return false }
            value = try Value.read(from: &reader)
            return true
        }
    }

    /// A value that is always there, and never null.
    @inline(__always)
    mutating func nonNull<Value: JSONValue>(
        _ name: StaticString, _ value: inout Value, else missing: StaticString? = nil
    ) {
        field(name, if: true, else: missing) {
            value.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            value = try Value.read(from: &reader)
            return true
        }
    }

    /// The elements of a request. One that cannot be read goes into `malformed` and leaves the others whole.
    ///
    /// - Parameter paths: The keys behind which an element has its name, to be tried in this order; no key where its
    ///   name is the element itself.
    @inline(__always)
    mutating func items<Item: JSONValue, Name: JSONValue>(
        _ name: StaticString, _ items: inout [Item], _ malformed: inout [Int: MalformedItem<Name>],
        named paths: @autoclosure () -> [[StaticString]], else missing: StaticString,
        by readItem: (inout JSONReader) throws(WireCodingError) -> Item = Item.read
    ) {
        field(name, if: true, else: missing) {
            items.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            if try reader.readNull() { return false }
            try reader.readItems(&items, &malformed, named: paths, readItem)
            return true
        }
    }

    /// A word of which a reader takes an unknown one for none.
    @inline(__always)
    mutating func knownWord<Word: RawRepresentable<String>>(_ name: StaticString, _ word: inout Word?) {
        field(name, if: word != nil, else: nil) {
            if let word { $0.string(word.rawValue) }
        } read: { (reader) throws(WireCodingError) in
            word = try reader.readNull() ? nil : reader.readWord(Word.self)
            return true
        }
    }

    /// A boolean that is written when it is true; null is false.
    @inline(__always)
    mutating func flag(_ name: StaticString, _ value: inout Bool, if isWritten: Bool = true) {
        field(name, if: isWritten && value, else: nil) {
            $0.bool(true)
        } read: { (reader) throws(WireCodingError) in
            value = try reader.readNull() ? false : try reader.readBool()
            return true
        }
    }

    /// The wish for numbers as strings, under both names that clients know.
    @inline(__always)
    mutating func numbersAsStrings(_ value: inout Bool) {
        flag("numbersAsStrings", &value)
        flag("numberAsStrings", &value, if: false)
    }

    /// A point in a feed of changes; a reader takes an empty one for none.
    @inline(__always)
    mutating func token(_ name: StaticString, _ token: inout String?, if isWritten: Bool = true) {
        field(name, if: isWritten && token != nil, else: nil) {
            if let token { $0.string(token) }
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() {
                let text = try reader.readOpaque()
                if !text.isEmpty { token = text }
            }
            return true
        }
    }

    /// A name; a reader takes an empty one for none.
    @inline(__always)
    mutating func name(_ key: StaticString, _ name: inout String?) {
        field(key, if: name != nil, else: nil) {
            if let name { $0.string(name) }
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() {
                let text = try reader.readName()
                if !text.isEmpty { name = text }
            }
            return true
        }
    }

    /// A text that may be long, and that may be absent.
    ///
    /// - Parameter most: Bytes of it, at most; nil for any number, where nothing compares it but by its bytes.
    @inline(__always)
    mutating func text(_ name: StaticString, _ text: inout String?, most: Int?) {
        field(name, if: text != nil, else: nil) {
            if let text { $0.string(text) }
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { text = try reader.readName(most ?? .max) }
            return true
        }
    }

    /// A token, a receipt or an address: ASCII of any length, and it may be absent.
    @inline(__always)
    mutating func opaque(_ name: StaticString, _ text: inout String?, if isWritten: Bool = true) {
        field(name, if: isWritten && text != nil, else: nil) {
            if let text { $0.string(text) }
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { text = try reader.readOpaque() }
            return true
        }
    }

    /// The same that is always there; null is as good as absent.
    @inline(__always)
    mutating func opaque(
        _ name: StaticString, _ text: inout String, if isWritten: Bool = true, else missing: StaticString? = nil
    ) {
        field(name, if: isWritten, else: missing) {
            $0.string(text)
        } read: { (reader) throws(WireCodingError) in
            if try reader.readNull() { return false }
            text = try reader.readOpaque()
            return true
        }
    }

    /// A value that is always the same, and that nobody reads.
    @inline(__always)
    mutating func constant(_ name: StaticString, _ json: StaticString, if isWritten: Bool = true) {
        field(name, if: isWritten, else: nil) {
            $0.raw(UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
        } read: { (reader) throws(WireCodingError) in
            try reader.skip()
            return true
        }
    }
}
