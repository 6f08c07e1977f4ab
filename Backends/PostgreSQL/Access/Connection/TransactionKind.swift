import Backstitch
import BackstitchSQL
import CLibPQ

/// The writes of others that a transaction sees.
enum TransactionKind: String {
    /// Each statement sees the commits before its beginning. Rows that it changes are seen in their present state.
    case writing = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    /// All statements see the commits before the first one began.
    case snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
}
