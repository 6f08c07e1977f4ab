/// The reason for a failed request about accounts, tokens, keys or containers. Nothing has changed then.
package struct IdentityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a fault.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case invalid, notFound, exists, limit, unauthorized, throttled, unavailable, failed
        }

        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// A value is malformed, or a secret could be guessed.
        package static let invalid = Code(.invalid)
        /// Nothing has this name.
        package static let notFound = Code(.notFound)
        /// The name, the address or the key is taken.
        package static let exists = Code(.exists)
        /// The limit on their number is reached.
        package static let limit = Code(.limit)
        /// The administrator's token is missing or not valid, or the caller is not on this machine.
        package static let unauthorized = Code(.unauthorized)
        /// Too many invalid tokens were tried.
        package static let throttled = Code(.throttled)
        /// The server cannot be reached, or has not opened its storage yet.
        package static let unavailable = Code(.unavailable)
        /// The server failed; its log knows more.
        package static let failed = Code(.failed)

        /// The code with a name; ``failed`` for a name unknown to this version.
        package init(name: String) { kind = Kind(rawValue: name) ?? .failed }

        /// The name of the code.
        package var description: String { kind.rawValue }
    }

    /// The kind of the fault.
    package let code: Code
    /// A text with the event and the remedy.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message alone, without the code.
    package var description: String { message }
}
