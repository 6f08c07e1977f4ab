/// Body of `changes/query`, an extension: the changes of the public database that concern some queries. They include
/// deletions, which `records/query` cannot report.
///
/// ```json
/// {"queries": [{"recordType": "Notice", "filterBy": []}], "syncToken": "…"}
/// ```
package struct QueryChangesRequest: Sendable, Hashable {
    /// The queries. Their orders have no effect.
    package var queries: [RecordQuery]
    /// The end of the client's last read. Without one the answer has no changes, but a token for the present state.
    package var syncToken: String?
    /// The most records in the answer. The server may return fewer, or more for a larger commit.
    package var resultsLimit: Int?

    package init(queries: [RecordQuery], syncToken: String? = nil, resultsLimit: Int? = nil) {
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
