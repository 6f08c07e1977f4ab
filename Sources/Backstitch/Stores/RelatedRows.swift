/// Rows at the far end of a relationship, and from where they are reached.
public struct RelatedRows: Sendable {
    /// The destinations, each once.
    public let rows: RowBatch
    /// Each link: the source's key and the position of the destination in ``rows``.
    public let links: [(source: ObjectKey, row: Int)]

    /// Destinations and the links to them.
    public init(rows: RowBatch, links: [(source: ObjectKey, row: Int)]) {
        self.rows = rows
        self.links = links
    }
}
