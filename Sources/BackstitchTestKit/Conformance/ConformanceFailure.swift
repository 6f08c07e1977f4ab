import Backstitch

/// How a case found a store to behave otherwise than it must.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The expectation that was not met, in words.
    public let description: String
}
