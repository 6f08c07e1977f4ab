import BackstitchSupport
import CloudWire

/// Answers each name of a request once. An answer that says the same a thousand times costs a thousand times as much as
/// its question.
struct Repeats {
    private var seen: Set<ByteText> = []

    /// - Parameter kind: of what it is the name, for the error.
    /// - Throws: BAD_REQUEST for a name that was given before.
    mutating func check(_ name: String, _ kind: String) throws(WireError) {
        guard seen.insert(ByteText(name)).inserted else {
            throw WireError(.badRequest, "\(kind) '\(name.shown(255))' occurs more than once in this request")
        }
    }
}
