import Backstitch

/// The failure of a case: the store does not have the required behaviour.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The failed expectation, in words.
    public let description: String
}
