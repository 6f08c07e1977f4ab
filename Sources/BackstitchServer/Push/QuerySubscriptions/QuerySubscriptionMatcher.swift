import CloudWire

/// Finds the query subscriptions that fire for the changes of a push. A filter means the same as in `records/query`:
/// each is a ``QueryCondition``.
///
/// A save is judged by the saved record, a deletion by the deleted record. A user is not told of a record if the public
/// database does not let that user read it.
struct QuerySubscriptionMatcher {
    private let changes: ChangedRecords
    /// The roles in the public database; nil elsewhere.
    private let roles: PublicRoles?
    /// Units of work left; see ``QuerySubscriptionLimits/work``.
    private var work = QuerySubscriptionLimits.work

    init(_ changes: ChangedRecords, _ roles: PublicRoles?) {
        self.changes = changes
        self.roles = roles
    }

    /// Allows the work of several requests, for changes that are tried together.
    mutating func allow(forRequests count: Int) {
        work = QuerySubscriptionLimits.work * min(count, QuerySubscriptionLimits.requestsTogether)
    }

    /// The news of each firing subscription, in the order of the changes.
    mutating func firings(
        of subscriptions: [StoredSubscription]
    ) throws(WireError) -> [QueryFirings] {
        var found: [QueryFirings] = []
        for subscription in subscriptions {
            let news = try firings(of: subscription)
            if !news.isEmpty { found.append(QueryFirings(subscription: subscription, news: news)) }
        }
        return found
    }

    private mutating func firings(of stored: StoredSubscription) throws(WireError) -> [RecordFiring] {
        guard let query = stored.subscription.query else { return [] }
        let changes = changes[query.recordType]
        if changes.isEmpty { return [] }
        let watched = Set(stored.subscription.firesOn ?? WireSubscription.Change.allCases)
        let zone = stored.subscription.zoneID?.zoneName
        var conditions: [QueryCondition] = []
        for filter in query.filterBy { conditions.append(try QueryCondition(filter)) }
        var news: [RecordFiring] = []
        for (change, fields) in changes {
            guard watched.contains(change.change), zone.map({ $0.utf8.elementsEqual(change.zone.utf8) }) ?? true,
                mayRead(stored.user, change.record)
            else { continue }
            work -= conditions.reduce(1) { $0 + $1.price(change.record, fields) }
            guard work >= 0 else { return [.unnamed] }
            guard conditions.allSatisfy({ $0.holds(change.record, fields) }) else { continue }
            guard news.count < QuerySubscriptionLimits.named else { return [.unnamed] }
            var firing = RecordFiring(change)
            let names = stored.subscription.notificationInfo?.alertLocalizationArgs
            // A subscription from before the ceiling may name more.
            firing.arguments = names?.prefix(QuerySubscriptionLimits.arguments).map { fields[$0]??.shownText ?? "" }
            news.append(firing)
            if stored.subscription.firesOnce == true { break }
        }
        return news
    }

    private func mayRead(_ user: String, _ record: StoredRecord) -> Bool {
        roles?.rights(of: user, type: record.type, creator: record.createdBy).contains(.read) ?? true
    }
}

extension QueryCondition {
    /// Units of work to try the condition on a record; see ``QuerySubscriptionLimits/work``.
    fileprivate func price(_ record: StoredRecord, _ fields: [String: WireValue?]) -> Int {
        let size = field.value(record, fields)?.size ?? 0
        return switch test {
        case .allWords, .anyWord: 1 + size / QuerySubscriptionLimits.wordBytes
        default: 1 + size / QuerySubscriptionLimits.comparedBytes
        }
    }
}

extension String {
    /// The text, or its beginning within some bytes. No scalar is cut. A character of many scalars may be cut, since
    /// its end would have to be searched in the whole text.
    fileprivate func beginning(of bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension WireValue {
    /// The beginning of the value, for a notification; nil for a value other than a text or a number.
    fileprivate var shownText: String? {
        switch self {
        case .string(let text): text.beginning(of: QuerySubscriptionLimits.shownBytes)
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        default: nil
        }
    }

    /// The approximate number of bytes a filter looks at.
    fileprivate var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .stringList(let texts): texts.reduce(0) { $0 + $1.utf8.count + 16 }
        case .bytesList(let list): list.reduce(0) { $0 + $1.count + 16 }
        case .int64List(let list), .timestampList(let list): 16 * list.count
        case .doubleList(let list): 16 * list.count
        case .referenceList(let list): 64 * list.count
        case .locationList(let list): 32 * list.count
        default: 16
        }
    }
}
