import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The work of one removing transaction. It is bounded, so that other writers do not wait long.
struct RemovalPiece: Sendable {
    var rows = 500
    /// The maximum bytes of the rows' content. A single row may exceed it.
    var bytes = 2 << 20

    /// The piece for rows with scattered places in a further index, since each of them costs more.
    static let ofScatteredRows = RemovalPiece(rows: 200)
}
