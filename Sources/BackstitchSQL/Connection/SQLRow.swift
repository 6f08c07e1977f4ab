package import Backstitch

/// A row of a result. Columns are counted from zero. The row is valid only during the call that passed it.
package protocol SQLRow: AnyObject {
    /// Whether a column holds null.
    func isNull(_ column: Int) -> Bool
    /// Reads a column as an integer; 0 for null.
    func int(_ column: Int) -> Int64
    /// Reads a column as a floating-point number; 0 for null.
    func double(_ column: Int) -> Double
    /// Reads a column as text; empty for null.
    func text(_ column: Int) -> String
    /// Reads a column as bytes; empty for null.
    func bytes(_ column: Int) -> [UInt8]
    /// Reads a column as an object's key.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the column holds none.
    func key(_ column: Int) throws -> ObjectKey
}

extension SQLRow {
    /// Reads a column as text; nil for null.
    package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
}
