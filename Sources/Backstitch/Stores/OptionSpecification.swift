/// The description of an option.
public struct OptionSpecification: Sendable {
    /// The kinds of values.
    public enum Kind: Sendable {
        /// Text.
        case string
        /// `true` or `false`.
        case boolean
        /// A whole number in a range.
        case integer(ClosedRange<Int>)
        /// A number of seconds, not negative.
        case seconds
        /// A list of texts.
        case strings
        /// One of these words.
        case choice([String])
        /// An absolute URL with one of these schemes.
        case url(schemes: [String])
        /// A value of that type, which only code can give, and whether a value is one.
        case code(String, @Sendable (any Sendable) -> Bool)
    }

    /// The option.
    public let option: StoreOption
    /// The kind of values that it takes.
    public let kind: Kind
    /// The effect of the option, in one line.
    public let summary: String
    /// Whether its value must never appear in a message or log.
    public let isSecret: Bool

    /// A specification.
    public init(_ option: StoreOption, _ kind: Kind, _ summary: String, secret: Bool = false) {
        self.option = option
        self.kind = kind
        self.summary = summary
        self.isSecret = secret
    }
}
