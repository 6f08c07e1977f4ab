/// The tree of a regular expression.
package indirect enum RegularTree: Hashable, Sendable {
    /// One scalar of the set.
    case scalar(ScalarSet)
    /// One after the other.
    case sequence([RegularTree])
    /// One of them.
    case alternatives([RegularTree])
    /// A number of times; without an upper bound if nil.
    case repeated(RegularTree, least: Int, most: Int?)
}
