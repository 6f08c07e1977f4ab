/// Cuts a feed into pages at the borders of commits.
///
/// A page that ends inside a commit would show a client half of a change. Its token would skip or repeat the other
/// half. So the last commit is either whole or left for the next page. A commit larger than a page is a page of its
/// own.
struct FeedPager {
    private(set) var records: [StoredRecord] = []
    private(set) var moreComing = false
    /// The sequence of the last record; nil without any.
    var reached: Int64? { records.isEmpty ? nil : commit }
    /// The bytes of records to read next: the free room of the page, or a piece (1 MB) for a large commit.
    ///
    /// It is 1 if other zones have filled the answer.
    var room: Int { query.bytes > 0 || query.takesLargeCommit ? max(query.bytes - bytes, Self.piece) : 1 }
    private static let piece = 1 << 20
    private let query: FeedQuery
    private var bytes = 0
    /// The place in `records` at which the last commit begins.
    private var commitStart = 0
    /// The sequence of the last commit, and of the one before.
    private var commit: Int64?
    private var commitBefore: Int64?

    init(_ query: FeedQuery) {
        self.query = query
    }

    /// Takes the next record of the feed, which must come commit by commit.
    ///
    /// - Returns: false when the page is full and the feed need not be read further.
    mutating func take(_ record: StoredRecord) -> Bool { take(record, at: record.sequence) }

    /// The same for a record whose place in the feed differs from its version's sequence, as in a guest's feed.
    mutating func take(_ record: StoredRecord, at sequence: Int64) -> Bool {
        if !records.isEmpty, commit != sequence {
            commitStart = records.count
            commitBefore = commit
            if records.count >= query.limit || bytes >= query.bytes {
                moreComing = true
                return false
            }
        }
        commit = sequence
        records.append(record)
        bytes += record.weight
        let isFull = bytes > query.bytes
        if commitStart > 0 ? isFull || records.count > query.limit : isFull && !query.takesLargeCommit {
            records.removeSubrange(commitStart...)
            commit = commitBefore
            moreComing = true
            return false
        }
        return true
    }
}
