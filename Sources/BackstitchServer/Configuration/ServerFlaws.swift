/// Bugs on purpose, by which tests prove that the simulator finds them. No public setting leads there.
package struct ServerFlaws: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A page is read without the newest commit, while its token counts that in: what readers of a sequence see, whose
    /// numbers are given before the commit.
    package static let countsUnseenCommits = ServerFlaws(rawValue: 1 << 0)
    /// A push is carried out again however often it comes.
    package static let forgetsAnswers = ServerFlaws(rawValue: 1 << 1)
    /// A page ends wherever it is full.
    package static let cutsCommits = ServerFlaws(rawValue: 1 << 2)
    /// Change tags are compared in a transaction before the one that writes.
    package static let comparesBeforeLocking = ServerFlaws(rawValue: 1 << 3)
    /// Of a key that a JSON object has twice, the last counts.
    package static let takesDoubledKeys = ServerFlaws(rawValue: 1 << 4)
    /// Old tombstones are removed although tokens from before them are still honoured.
    package static let forgetsTombstones = ServerFlaws(rawValue: 1 << 5)
    /// How far the sender of a push has read, and of which life of the zone, is not looked at.
    package static let takesAnyPosition = ServerFlaws(rawValue: 1 << 6)
}
