extension Array {
    /// Cuts the array into parts of a given length; the last part may be shorter.
    ///
    /// - Complexity: O(parts): nothing is copied.
    @inlinable
    package func parts(of length: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: length).map { self[$0..<Swift.min($0 + length, count)] }
    }
}
