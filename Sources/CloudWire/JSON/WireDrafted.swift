/// A type whose Swift form is another than its JSON form, such as an enumeration of answers: a draft that has all the
/// keys has the table.
protocol WireDrafted: WireCodable, JSONValue {
    associatedtype Draft: WireObject

    /// This value as it is written.
    var draft: Draft { get }

    /// Makes the value from all that was read, or tells what that lacks.
    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError)
}

extension WireDrafted {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) { draft.write(to: &writer) }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self {
        try Self(Draft.read(from: &reader), from: reader)
    }
}
