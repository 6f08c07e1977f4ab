/// One direction of a table of keys (``WireObject/code(_:)``). The writer writes each given key. The reader offers each
/// key of the message to all lines, and the line with that name reads the value.
protocol KeyCoding: ~Copyable {
    /// One line of a table. All other kinds of lines are made of it.
    ///
    /// - Parameters:
    ///   - isWritten: whether the key must be written.
    ///   - missing: the error for an object without the key, or with null; nil if the key is optional.
    ///   - write: writes one value.
    ///   - read: reads one value; false if the key still counts as missing.
    mutating func field(
        _ name: StaticString, if isWritten: Bool, else missing: StaticString?, write: (inout JSONWriter) -> Void,
        read: (inout JSONReader) throws(WireCodingError) -> Bool)

    /// Refuses an object after its reading, unless the condition holds.
    mutating func check(_ holds: Bool, else fault: StaticString)
}

/// The kinds of lines. Each is inlined into its table. Only a comparison of names remains there, and the call that
/// reads or writes the value.
extension KeyCoding where Self: ~Copyable {
    /// A value that may be absent; null means absent.
    @inline(__always)
    mutating func optional<Value: JSONValue>(_ name: StaticString, _ value: inout Value?, if isWritten: Bool = true) {
        field(name, if: isWritten && value != nil, else: nil) {
            value?.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { value = try Value.read(from: &reader) }
            return true
        }
    }

    /// A computed value that may be absent. A change in place would read and write the property at each run of the
    /// table.
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

    /// A value that is always written. When read, null means absent: the value stays as in ``WireObject/blank``, or the
    /// error is `missing`.
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

    /// A value that is always written, and must not be null.
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

    /// The elements of a request. An unreadable one is added to `malformed`, and the others stay valid.
    ///
    /// - Parameter paths: The paths of keys to an element's name, tried in this order. An empty path means that the
    ///   element itself is its name.
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

    /// A word. A reader ignores an unknown one.
    @inline(__always)
    mutating func knownWord<Word: RawRepresentable<String>>(_ name: StaticString, _ word: inout Word?) {
        field(name, if: word != nil, else: nil) {
            if let word { $0.string(word.rawValue) }
        } read: { (reader) throws(WireCodingError) in
            word = try reader.readNull() ? nil : reader.readWord(Word.self)
            return true
        }
    }

    /// A boolean that is written only if true; null is false.
    @inline(__always)
    mutating func flag(_ name: StaticString, _ value: inout Bool, if isWritten: Bool = true) {
        field(name, if: isWritten && value, else: nil) {
            $0.bool(true)
        } read: { (reader) throws(WireCodingError) in
            value = try reader.readNull() ? false : try reader.readBool()
            return true
        }
    }

    /// The request for numbers as strings, under both names that clients use.
    @inline(__always)
    mutating func numbersAsStrings(_ value: inout Bool) {
        flag("numbersAsStrings", &value)
        flag("numberAsStrings", &value, if: false)
    }

    /// A position in a feed of changes. A reader ignores an empty one.
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

    /// A name. A reader ignores an empty one.
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

    /// A text that may be long or absent.
    ///
    /// - Parameter most: The most bytes of the text; nil for any length, if the text is compared only by its bytes.
    @inline(__always)
    mutating func text(_ name: StaticString, _ text: inout String?, most: Int?) {
        field(name, if: text != nil, else: nil) {
            if let text { $0.string(text) }
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { text = try reader.readName(most ?? .max) }
            return true
        }
    }

    /// A token, a receipt or an address: ASCII of any length, or absent.
    @inline(__always)
    mutating func opaque(_ name: StaticString, _ text: inout String?, if isWritten: Bool = true) {
        field(name, if: isWritten && text != nil, else: nil) {
            if let text { $0.string(text) }
        } read: { (reader) throws(WireCodingError) in
            if try !reader.readNull() { text = try reader.readOpaque() }
            return true
        }
    }

    /// A token, a receipt or an address that is always written; null means absent.
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

    /// A constant value. Readers skip it.
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
