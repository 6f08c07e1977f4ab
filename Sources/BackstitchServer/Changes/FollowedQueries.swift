import CloudWire

/// The queries of a follower. It decides about each record of the feed whether and how to report it.
struct FollowedQueries: Sendable {
    /// The meaning of a record's newest version for the follower.
    enum Meaning {
        /// A query matches the record, or the record is deleted and may have matched.
        case told
        /// No query matches the record, but one may have matched before.
        case unmatched
        /// The record's type is not followed, or the follower may not read the record.
        case hidden
    }

    /// The maximum number of queries in a request.
    static let limit = 50

    /// The conditions of each query, by record type.
    private let conditions: [String: [[QueryCondition]]]
    /// The highest possible price of a record; see ``price(of:)``.
    let highestPrice: Int

    /// Takes the plans of the queries.
    ///
    /// - Parameter plans: The plans. Each is already limited to records that the follower may read.
    init(_ plans: [QueryPlan]) {
        conditions = Dictionary(plans.map { ($0.type, [$0.conditions]) }, uniquingKeysWith: +)
        highestPrice = conditions.values.map(Self.price).max() ?? 1
    }

    /// The price of a record of a type: one, and one for each filter.
    private static func price(_ queries: [[QueryCondition]]) -> Int { queries.reduce(1) { $0 + $1.count } }

    /// The number of filters tried on the record, and one for reading it.
    func price(of record: StoredRecord) -> Int {
        guard !record.deleted, let type = record.type, let queries = conditions[type] else { return 1 }
        return Self.price(queries)
    }

    /// Compares the record with the queries of its type.
    ///
    /// - Throws: ``WireCodingError`` if the record's fields cannot be read.
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
    /// Whether the caller has a right in the public database; see ``require(_:type:creator:)``.
    func has(_ right: PublicRoles.Rights, type: String, creator: String) -> Bool {
        do throws(WireError) {
            try require(right, type: type, creator: creator)
            return true
        } catch { return false }
    }
}
