/// Counts named situations. A run that never met one of them has tested less than it claims.
package struct Situations: Sendable {
    /// The number of times each situation occurred.
    package private(set) var counts: [String: Int] = [:]

    /// The number of worlds in a full run. It must have met all of ``expected``.
    package static let fullRun: UInt64 = 1_000

    /// The situations that a full run must have met.
    package static let expected: Set<String> = Set(
        network + machines + power + processes + pushes + pulls + conflicts + photos + secrets + publicData)

    private static let network = [
        "a request arrived twice", "a duplicate arrived late", "a request was slow", "status 429", "status 500",
        "status 503", "the answer of a push was lost", "an answer was lost", "an answer was garbled",
        "partition: both", "partition: towardsServer", "partition: towardsDevice", "a hostile request came",
        "calm within a minute", "calm took longer than a minute",
    ]

    private static let machines = [
        "the server was killed", "the server died before its answer", "the server's clock jumped ahead",
        "the server's clock went back", "the server's clock stood still", "a device's clock jumped ahead",
        "a device's clock went back", "a device's clock stood still", "a program was brought up to date",
        "died between steps", "died with a push under way", "died between pages",
        "died before a write of an app's save", "died after a commit of an app's save",
        "died before a write of applying a page", "died before a commit of applying a page",
        "died after a commit of applying a page", "died before a write of choosing a batch",
        "died before a commit of choosing a batch", "died after a commit of choosing a batch",
        "died before a write of settling a batch", "died before a commit of settling a batch",
        "died after a commit of settling a batch", "a device slept for months", "a device woke with changes unsent",
    ]

    private static let power = [
        "the power was cut with a push under way", "the power was cut between pages",
        "the power was cut while everything was read again", "a power cut took no commit",
        "a power cut took unsent changes", "a power cut took an acknowledgement", "a power cut took a page",
        "a power cut ended two processes of a store", "the server's power was cut: a push was kept",
        "the server's power was cut: a push was lost",
    ]

    private static let processes = [
        "a process took over", "a process saved that stood by", "a process lost the lead and lived",
        "a process stood still while another could lead", "an answer came to who led no more",
        "a page came to who led no more", "what an answer told of was deleted while its process stood still",
    ]

    private static let pushes = [
        "an edit during a push", "a push met a conflict", "a push arrived whose sender had died",
        "a repeated push got the answer that was kept", "two devices pushed at once",
        "a change waited for another one of its batch", "the zone was deleted during a push",
        "what a device had sent was deleted before it came back",
        "a push arrived again when what it had made was deleted", "a link was saved when one of its ends had gone",
    ]

    private static let pulls = [
        "change tokens became invalid", "a token was refused", "a token was refused between pages",
        "a token was refused while changes were unsent", "the zone was deleted",
        "a device learnt that the zone is gone", "a device learnt that another zone is in its place",
        "the server forgot tombstones, and tokens with them", "an edit while everything was read again",
        "a restart came while everything was read again", "a pull had more than one page", "an edit between pages",
        "what was referred to came later", "a record was parked",
    ]

    private static let conflicts = [
        "conflict: edits, server won", "conflict: edits, client won", "conflict: editedHereDeletedThere, server won",
        "conflict: editedHereDeletedThere, client won", "conflict: deletedHereEditedThere, server won",
        "conflict: deletedHereEditedThere, client won",
    ]

    private static let secrets = [
        "a key was made", "a device was given a key later", "a device began to use a key that it had",
        "a record waited for its key",
        "a value was encrypted anew", "an edit waited for the key of the server's record",
    ]

    private static let publicData = [
        "a change was taken back: update", "a change was taken back: delete", "a device followed a part no more",
        "a device followed a part again at once", "a device followed several parts in the end",
        "a device stood where the feed of public data did", "a right to public data was given",
        "a right to public data was taken",
    ]

    private static let photos = [
        "an asset could not be had", "an upload's address ran out before its use", "a change waited for an upload",
        "an upload beside the cycles failed",
    ]

    /// The expected situations that never occurred.
    package var missing: [String] { Self.expected.filter { counts[$0] == nil }.sorted() }

    package init() {}

    package mutating func note(_ name: String) { counts[name, default: 0] += 1 }

    /// Adds the counts of another world.
    package mutating func add(_ other: Situations) { counts.merge(other.counts, uniquingKeysWith: +) }
}
