import BackstitchSupport
import CloudWire

/// Refuses repeated names in a request. An answer with the same thing a thousand times costs a thousand times as much
/// as its question.
struct RepeatedNames {
    private var seen: Set<ByteText> = []

    /// - Parameter kind: The kind of thing with the name, for the error.
    /// - Throws: BAD_REQUEST for a repeated name.
    mutating func check(_ name: String, _ kind: String) throws(WireError) {
        guard seen.insert(ByteText(name)).inserted else {
            throw WireError(.badRequest, "\(kind) '\(name.shown(255))' occurs more than once in this request")
        }
    }
}
