import CloudWire

/// The queries whose changes somebody follows: tells of each record of the feed what it means to the follower.
struct FollowedQueries: Sendable {
    /// The meaning of a record's newest version.
    enum Meaning {
        /// A query holds for it; or it is gone, and may have been one of those.
        case told
        /// No query holds for it, and one may have held before.
        case unmatched
        /// It is of no type that is followed, or the follower may not read it.
        case hidden
    }

    /// Most queries of a request.
    static let limit = 50

    /// The conditions of each query, by the type of its records.
    private let conditions: [String: [[QueryCondition]]]
    /// The price of the costliest record.
    let highestPrice: Int

    /// - Parameter plans: The queries, which leave out what the follower may not read.
    init(_ plans: [QueryPlan]) {
        conditions = Dictionary(plans.map { ($0.type, [$0.conditions]) }, uniquingKeysWith: +)
        highestPrice = conditions.values.map(Self.price).max() ?? 1
    }

    private static func price(_ queries: [[QueryCondition]]) -> Int { queries.reduce(1) { $0 + $1.count } }

    /// How many filters are tried on a record of the type, with the look at it.
    func price(of record: StoredRecord) -> Int {
        guard !record.deleted, let type = record.type, let queries = conditions[type] else { return 1 }
        return Self.price(queries)
    }

    /// - Throws: when the fields of the record cannot be read.
    func meaning(of record: StoredRecord, to scope: RequestScope) throws -> Meaning {
        guard let type = record.type, let queries = conditions[type] else { return .hidden }
        guard scope.has(.read, type: type, creator: record.createdBy) else { return .hidden }
        if record.deleted { return .told }
        let fields = try WireRecord.Fields(json: record.fields).values
        var known = QueryParts()
        let holds = queries.contains { $0.allSatisfy { $0.holds(record, fields, &known) } }
        return holds ? .told : .unmatched
    }
}

extension RequestScope {
    /// Whether the public database gives the caller a right, see ``require(_:type:creator:)``.
    func has(_ right: PublicRoles.Rights, type: String, creator: String) -> Bool {
        do throws(WireError) {
            try require(right, type: type, creator: creator)
            return true
        } catch { return false }
    }
}
