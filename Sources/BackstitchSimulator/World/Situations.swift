/// Counts how often named situations came about. A run in which one never did has tested less than it claims.
package struct Situations: Sendable {
    /// How often each did.
    package private(set) var counts: [String: Int] = [:]

    /// Those that a run of some thousand worlds must have seen.
    package static let expected: Set<String> = [
        "a request arrived twice", "a duplicate arrived late", "a request was slow", "status 429", "status 500",
        "status 503", "the answer of a push was lost", "an answer was lost", "an answer was garbled",
        "partition: both", "partition: towardsServer", "partition: towardsDevice", "the server was killed",
        "a clock was wrong", "change tokens became invalid", "a token was refused", "the zone was deleted",
        "a device learnt that the zone is gone", "an edit during a push", "a push met a conflict",
        "a program was brought up to date", "died between steps",
        "died before a write of an app's save", "died after a commit of an app's save",
        "died before a commit of applying a page", "died after a commit of applying a page",
        "died before a commit of choosing a batch", "died after a commit of choosing a batch",
        "died before a commit of settling a batch", "died after a commit of settling a batch",
        "conflict: edits, server won", "conflict: edits, client won", "conflict: editedHereDeletedThere, server won",
        "conflict: editedHereDeletedThere, client won", "conflict: deletedHereEditedThere, server won",
        "conflict: deletedHereEditedThere, client won",
    ]

    /// Expected ones that never came about.
    package var missing: [String] { Self.expected.filter { counts[$0] == nil }.sorted() }

    package init() {}

    package mutating func note(_ name: String) { counts[name, default: 0] += 1 }

    /// Adds those of another world.
    package mutating func add(_ other: Situations) { counts.merge(other.counts, uniquingKeysWith: +) }
}
