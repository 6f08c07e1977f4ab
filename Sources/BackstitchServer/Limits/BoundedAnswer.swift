import CloudWire

/// An answer of the wire that was made within an ``AnswerBudget``.
struct BoundedAnswer: Sendable {
    /// The JSON.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
}
