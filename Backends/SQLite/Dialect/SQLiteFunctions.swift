import BackstitchSQL

/// The names of the functions and the collation that a SQLite connection needs besides those of SQLite. A store
/// registers them on each of its connections, as pure (deterministic) functions:
///
/// | SQL | Swift |
/// |---|---|
/// | `backstitch_fold(text, flags)` | ``SQLFunctions/fold(_:flags:)`` |
/// | `backstitch_uppercase(text)` | ``SQLFunctions/uppercase(_:)`` |
/// | `backstitch_matches(text, pattern, flags)` | ``SQLFunctions/matches(_:_:flags:)`` |
/// | `backstitch_decimal(real)` | ``SQLFunctions/decimal(_:)`` |
/// | `backstitch_double(bits)` | the double of eight bytes, big-endian |
/// | `backstitch_bytes(digits)` | the bytes of hexadecimal digits |
/// | aggregates `backstitch_decimal_sum(decimal)`, `backstitch_decimal_average(decimal)` | ``DecimalSum`` |
/// | collation `backstitch_decimal` | ``SQLFunctions/compareDecimals(_:_:)`` |
///
/// `flags` is the raw value of ``FetchTextOptions``. NULL gives NULL. Columns of decimals may be declared with the
/// collation, so that indexes on them serve comparisons. But every comparison and order also names it.
enum SQLiteFunctions {
    /// Name of the function of ``SQLFunctions/fold(_:flags:)``.
    static let fold = "backstitch_fold"
    /// Name of the function of ``SQLFunctions/uppercase(_:)``.
    static let uppercase = "backstitch_uppercase"
    /// Name of the function of ``SQLFunctions/matches(_:_:flags:)``.
    static let matches = "backstitch_matches"
    /// Name of the function of ``SQLFunctions/decimal(_:)``.
    static let decimal = "backstitch_decimal"
    /// Name of the function that reads the bits of a double.
    static let double = "backstitch_double"
    /// Name of the function that reads hexadecimal digits; SQLite's own is only in 3.41 and later.
    static let bytes = "backstitch_bytes"
    /// Name of the aggregate that adds decimals.
    static let decimalSum = "backstitch_decimal_sum"
    /// Name of the aggregate for the mean of decimals.
    static let decimalAverage = "backstitch_decimal_average"
    /// Name of the collation of decimal text.
    static let decimalCollation = "backstitch_decimal"
}
