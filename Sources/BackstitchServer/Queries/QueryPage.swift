import CloudWire

/// A page of answers to a query.
struct QueryPage: Sendable {
    var matches: [QueryMatch]
    /// Where the next page begins; nil when there is none.
    var end: QueryPosition?
}
