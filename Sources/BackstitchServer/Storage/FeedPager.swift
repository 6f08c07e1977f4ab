/// Cuts a feed into pages at the borders of commits.
///
/// A page that ends inside a commit would let a client see half of what was done at once, and its token would skip
/// or repeat the other half. So the last commit is either whole or left for the next page, and a commit that is larger
/// than a page is a page of its own.
struct FeedPager {
    private(set) var records: [StoredRecord] = []
    private(set) var moreComing = false
    /// The sequence of the last record; nil without any.
    var reached: Int64? { records.isEmpty ? nil : commit }
    /// Bytes of records to read next: what the page has room for, or a piece of a large commit. It is 1 where others
    /// have filled the answer.
    var room: Int { query.bytes > 0 || query.takesLargeCommit ? max(query.bytes - bytes, Self.piece) : 1 }
    private static let piece = 1 << 20
    private let query: FeedQuery
    private var bytes = 0
    /// Where the last commit begins in `records`.
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

    /// The same where a record's place in the feed is another one than its version has.
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
