import CloudWire

/// An answer of the wire, made within an ``AnswerBudget``.
struct BoundedAnswer: Sendable {
    /// The JSON of the answer, in UTF-8.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
}
