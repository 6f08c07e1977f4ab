/// Why a message of the wire could not be read or written.
public struct WireCodingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of faults.
    public enum Kind: Sendable, Equatable {
        /// The bytes are no JSON, or JSON that this codec refuses (duplicate keys, depth, lone surrogates, bad UTF-8).
        case syntax
        /// Well-formed JSON of the wrong shape, such as a string where a number must be.
        case value
    }

    /// The kind of fault.
    public let kind: Kind
    /// The fault and its place, in words.
    public let message: String
    /// Byte offset in the message; nil while writing.
    public let offset: Int?

    /// An error with all its parts.
    public init(kind: Kind, message: String, offset: Int? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    /// The message, with the byte offset when one is known.
    public var description: String {
        if let offset { "\(message) (at byte \(offset))" } else { message }
    }
}
