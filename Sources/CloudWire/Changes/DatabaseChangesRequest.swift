/// Body of `changes/database` and of its older form `zones/changes`.
package struct DatabaseChangesRequest: Sendable, Hashable {
    /// The end of the client's last read; nil for everything. An empty token counts as none.
    package var syncToken: String?
    /// The most zones in the answer.
    package var resultsLimit: Int?

    /// Creates a request for the zones that changed after a token.
    package init(syncToken: String? = nil, resultsLimit: Int? = nil) {
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
    }
}

extension DatabaseChangesRequest: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.token("syncToken", &syncToken)
        keys.token("metaSyncToken", &syncToken, if: false)
        keys.optional("resultsLimit", &resultsLimit)
    }
}
