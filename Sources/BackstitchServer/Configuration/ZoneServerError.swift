/// A failure to make, start or stop a server. Failed requests are answered with errors of the wire instead.
public struct ZoneServerError: Error, Sendable, CustomStringConvertible {
    /// The kind of a fault.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case insecureConfiguration
            case invalidConfiguration
            case storageUnavailable
            case storageFormat
            case addressUnavailable
            case wrongState
        }

        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// The settings would open the server to everyone.
        public static let insecureConfiguration = Code(.insecureConfiguration)
        /// A setting has no meaning.
        public static let invalidConfiguration = Code(.invalidConfiguration)
        /// The storage directory cannot be used, or another server uses it.
        public static let storageUnavailable = Code(.storageUnavailable)
        /// The storage is of another program or of a newer version.
        public static let storageFormat = Code(.storageFormat)
        /// The address cannot be listened on: its port is taken, for instance.
        public static let addressUnavailable = Code(.addressUnavailable)
        /// The server was started twice, or stopped before it ran.
        public static let wrongState = Code(.wrongState)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// The kind of the fault.
    public let code: Code
    /// A text with the event and the remedy.
    public let message: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code, the message, and the cause if there is one.
    public var description: String {
        "\(code): \(message)" + (cause.map { " (\($0))" } ?? "")
    }
}
