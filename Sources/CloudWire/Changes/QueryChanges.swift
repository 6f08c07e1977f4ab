/// Body of `changes/query`, an extension: the changes of the public database that some queries are about. Deletions are
/// among them, which `records/query` cannot tell of.
///
/// ```json
/// {"queries": [{"recordType": "Notice", "filterBy": []}], "syncToken": "…"}
/// ```
public struct QueryChangesRequest: Sendable, Hashable {
    /// The queries. Their orders mean nothing.
    public var queries: [RecordQuery]
    /// The point up to which the client has read. Without one the answer has no changes, and the point of now.
    public var syncToken: String?
    /// Most records in the answer; the server may give fewer, and more for a commit that is larger.
    public var resultsLimit: Int?

    /// A request.
    public init(queries: [RecordQuery], syncToken: String? = nil, resultsLimit: Int? = nil) {
        self.queries = queries
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
    }
}

extension QueryChangesRequest: WireObject {
    static var blank: Self { Self(queries: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.nonNull("queries", &queries, else: "changes/query needs queries")
        keys.token("syncToken", &syncToken)
        keys.optional("resultsLimit", &resultsLimit)
    }
}

/// Body of the answer of `changes/query`.
public struct QueryChangesResponse: Sendable, Hashable {
    /// Records as they are now for which a query holds, and deletions of records of the queries' types, whichever
    /// records those were.
    public var records: [WireRecord]
    /// The names of records of the queries' types that have changed, and for which no query holds now.
    public var unmatched: [String]
    /// The point up to which the client has now read; store it together with what the page changed.
    public var syncToken: String
    /// True when another request with ``syncToken`` gives more. A page may be empty and still say so.
    public var moreComing: Bool

    /// An answer.
    public init(records: [WireRecord] = [], unmatched: [String] = [], syncToken: String, moreComing: Bool = false) {
        self.records = records
        self.unmatched = unmatched
        self.syncToken = syncToken
        self.moreComing = moreComing
    }
}

extension QueryChangesResponse: WireObject {
    static var blank: Self { Self(syncToken: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.nonNull("records", &records)
        keys.value("unmatched", &unmatched, if: !unmatched.isEmpty)
        keys.opaque("syncToken", &syncToken, else: "the changes of queries need a syncToken")
        keys.value("moreComing", &moreComing)
    }
}
