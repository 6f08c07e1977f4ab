/// The tree of a regular expression.
package indirect enum RegularTree: Hashable, Sendable {
    /// Matches one scalar of the set.
    case scalar(ScalarSet)
    /// Matches the parts one after the other.
    case sequence([RegularTree])
    /// Matches one of the parts.
    case alternatives([RegularTree])
    /// Matches the part a number of times; without an upper bound if `most` is nil.
    case repeated(RegularTree, least: Int, most: Int?)
}
