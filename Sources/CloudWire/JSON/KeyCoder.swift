typealias KeyCoder = KeyCoding & ~Copyable

extension JSONWriter: KeyCoding {
    @inline(__always)
    mutating func field(
        _ name: StaticString, if isWritten: Bool, else missing: StaticString?, write: (inout JSONWriter) -> Void,
        read: (inout JSONReader) throws(WireCodingError) -> Bool
    ) {
        guard isWritten else { return }
        key(name)
        write(&self)
    }

    @inline(__always)
    mutating func check(_ holds: Bool, else fault: StaticString) {}

    /// Writes an object by one or several tables. The tables only read it, so it is passed in place. A copy would count
    /// a reference for each of its parts.
    @inline(__always)
    mutating func writeObject<Object>(
        _ object: UnsafePointer<Object>, _ keys: (inout Object, inout JSONWriter) -> Void
    ) {
        beginObject()
        keys(&UnsafeMutablePointer(mutating: object).pointee, &self)
        endObject()
    }
}
