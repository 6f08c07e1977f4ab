/// Rows at the far end of a relationship, and the links to them.
public struct RelatedRows: Sendable {
    /// The destinations, each once.
    public let rows: RowBatch
    /// Each link: the source's key and the position of the destination in ``rows``.
    public let links: [(source: ObjectKey, row: Int)]

    /// Makes a value of destinations and the links to them.
    public init(rows: RowBatch, links: [(source: ObjectKey, row: Int)]) {
        self.rows = rows
        self.links = links
    }
}
