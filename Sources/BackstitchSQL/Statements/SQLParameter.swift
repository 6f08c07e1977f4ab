package import Backstitch

/// A statement's parameter.
package enum SQLParameter: Hashable, Sendable {
    /// A value, in the form in which rows keep it: booleans and dates (milliseconds) as integers where the dialect has
    /// them so, decimals as numbers or canonical text, objects as their keys.
    case value(Value)
    /// The key of a row.
    case key(ObjectKey)
    /// Keys as one value: an array, or a blob of 16 bytes each.
    case keys([ObjectKey])

    /// A text, or null.
    package static func text(_ text: String?) -> SQLParameter { .value(text.map(Value.string) ?? .null) }
}
