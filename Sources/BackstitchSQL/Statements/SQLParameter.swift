package import Backstitch

/// A parameter of a statement.
package enum SQLParameter: Hashable, Sendable {
    /// A value in its stored form. Booleans and dates (milliseconds) are integers if the dialect stores them in this
    /// way. Decimals are numbers or canonical text, and objects are their keys.
    case value(Value)
    /// The key of a row.
    case key(ObjectKey)
    /// Keys as one value: an array, or a blob of 16 bytes for each key.
    case keys([ObjectKey])

    /// Creates the parameter of a text, or of null.
    package static func text(_ text: String?) -> SQLParameter { .value(text.map(Value.string) ?? .null) }
}
