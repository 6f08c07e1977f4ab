import Backstitch

/// Decimals in results of databases that have more digits than `Decimal`.
package enum SQLDecimals {
    /// The result in place of one that no `Decimal` is.
    package static let none = "NaN"
}
