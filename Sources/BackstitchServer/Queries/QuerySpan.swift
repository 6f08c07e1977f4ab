/// The entries of an index between two places.
///
/// Forward, it begins after the first place and ends below `end`. Backward, it begins before the first place and ends
/// at `end`.
struct QuerySpan: Hashable, Sendable {
    var key: [UInt8]
    var name: String
    var end: [UInt8]
    var isBackward: Bool
}
