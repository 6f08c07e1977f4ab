/// The reason why a message of the wire could not be read or written.
package struct WireCodingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of coding faults.
    package enum Kind: Sendable, Equatable {
        /// The bytes are not JSON, or JSON that this codec refuses (duplicate keys, depth, lone surrogates, bad UTF-8).
        case syntax
        /// Well-formed JSON of the wrong form, for instance a string in place of a number.
        case value
    }

    /// The kind of the fault.
    package let kind: Kind
    /// The fault and its place, in words.
    package let message: String
    /// The byte offset in the message; nil for an error of writing.
    package let offset: Int?

    package init(kind: Kind, message: String, offset: Int? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    /// The message, with the byte offset if it is known.
    package var description: String {
        if let offset { "\(message) (at byte \(offset))" } else { message }
    }
}
