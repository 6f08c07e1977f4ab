import CloudWire

/// A page of matches in the order of the query.
struct QueryPage: Sendable {
    var matches: [QueryMatch]
    /// The place after which the next page begins; nil after the last page.
    var end: QueryPosition?
}
