/// A type whose Swift form differs from its JSON form, for instance an enumeration of answers. A draft with all the
/// keys has the table.
protocol WireDrafted: WireCodable, JSONValue {
    associatedtype Draft: WireObject

    /// The value in the form for writing.
    var draft: Draft { get }

    /// Makes the value from the draft that was read, or throws the reason why it cannot.
    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError)
}

extension WireDrafted {
    /// Appends the JSON form of the draft.
    package func write(to writer: inout JSONWriter) { draft.write(to: &writer) }

    /// Reads the JSON form leniently, by way of the draft.
    package static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self {
        try Self(Draft.read(from: &reader), from: reader)
    }
}
