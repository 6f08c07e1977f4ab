/// The description of an option.
public struct OptionSpecification: Sendable {
    /// The kinds of option values.
    public enum Kind: Sendable {
        /// Text of any length.
        case string
        /// A truth value, `true` or `false`.
        case boolean
        /// A whole number in a range.
        case integer(ClosedRange<Int>)
        /// A number of seconds, not negative.
        case seconds
        /// A list of several texts.
        case strings
        /// One of these words, exactly.
        case choice([String])
        /// An absolute URL with one of these schemes.
        case url(schemes: [String])
        /// A value of a type that only code can provide: the type's name, and a test for such values.
        case code(String, @Sendable (any Sendable) -> Bool)
    }

    /// The key of the option.
    public let option: StoreOption
    /// The accepted kind of values.
    public let kind: Kind
    /// The effect of the option, in one line.
    public let summary: String
    /// Whether its value must never appear in a message or log.
    public let isSecret: Bool

    /// Makes the specification of an option.
    public init(_ option: StoreOption, _ kind: Kind, _ summary: String, secret: Bool = false) {
        self.option = option
        self.kind = kind
        self.summary = summary
        self.isSecret = secret
    }
}
