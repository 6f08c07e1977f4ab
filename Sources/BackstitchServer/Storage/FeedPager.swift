/// Cuts a feed into pages at the borders of commits.
///
/// A page that ends inside a commit would let a client see half of what was done at once, and its token would skip
/// or repeat the other half. So the last commit is either whole or left for the next page, and a commit that is larger
/// than a page is a page of its own.
struct FeedPager {
    private(set) var records: [StoredRecord] = []
    private(set) var moreComing = false
    private let limit: Int
    private let byteLimit: Int
    private var bytes = 0
    /// Where the last commit begins in `records`.
    private var commitStart = 0

    init(limit: Int, bytes: Int) {
        self.limit = limit
        byteLimit = bytes
    }

    /// Takes the next record of the feed, which must come commit by commit.
    ///
    /// - Returns: false when the page is full and the feed need not be read further.
    mutating func take(_ record: StoredRecord) -> Bool {
        if let last = records.last, last.sequence != record.sequence {
            commitStart = records.count
            if records.count >= limit || bytes >= byteLimit {
                moreComing = true
                return false
            }
        }
        records.append(record)
        bytes += record.fields.count
        if commitStart > 0, records.count > limit || bytes > byteLimit {
            records.removeSubrange(commitStart...)
            moreComing = true
            return false
        }
        return true
    }
}
