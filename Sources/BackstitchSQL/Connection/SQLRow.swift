package import Backstitch

/// A row of a result. Columns are counted from zero. It is good for the call that gave it only.
package protocol SQLRow: AnyObject {
    /// Whether a column is null.
    func isNull(_ column: Int) -> Bool
    /// An integer; 0 for null.
    func int(_ column: Int) -> Int64
    /// A number with a fraction; 0 for null.
    func double(_ column: Int) -> Double
    /// A text; empty for null.
    func text(_ column: Int) -> String
    /// Bytes; empty for null.
    func bytes(_ column: Int) -> [UInt8]
    /// A key.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the column holds none.
    func key(_ column: Int) throws -> ObjectKey
}

extension SQLRow {
    /// A text, or nil for null.
    package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
}
