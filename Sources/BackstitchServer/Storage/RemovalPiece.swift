import BackstitchSQL
import BackstitchSupport
import CloudWire

/// How much one transaction removes, so that other writers do not wait long for it.
struct RemovalPiece: Sendable {
    var rows = 500
    /// Bytes of the rows' content; a single row may have more.
    var bytes = 2 << 20

    /// Rows of which each is in a place of its own in a further index.
    static let ofScatteredRows = RemovalPiece(rows: 200)
}
