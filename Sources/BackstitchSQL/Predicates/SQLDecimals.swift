import Backstitch

/// Decimals in the results of databases with more digits than `Decimal`.
package enum SQLDecimals {
    /// The result that replaces one outside the range of `Decimal`.
    package static let none = "NaN"
}
