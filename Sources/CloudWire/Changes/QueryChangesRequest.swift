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
