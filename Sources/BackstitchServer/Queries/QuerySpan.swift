/// The entries of an index between two places: forward from behind the first, below `end`; backward from before the
/// first, down to `end`.
struct QuerySpan: Hashable, Sendable {
    var key: [UInt8]
    var name: String
    var end: [UInt8]
    var isBackward: Bool
}
