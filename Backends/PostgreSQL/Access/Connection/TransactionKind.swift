import Backstitch
import BackstitchSQL
import CLibPQ

/// How a transaction sees what others write.
enum TransactionKind: String {
    /// Each statement sees what is committed when it begins; rows that it changes it sees as they are.
    case writing = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    /// All statements see what was committed when the first began.
    case snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
}
