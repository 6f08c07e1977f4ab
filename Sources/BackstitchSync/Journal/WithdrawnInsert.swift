import Backstitch
import CloudWire

/// The limits for keeping notes of withdrawn inserts.
enum WithdrawnInsert {
    /// The longest time, in milliseconds, until an abandoned request may still arrive. Machines in between may hold it
    /// for minutes.
    static let maximumDelay: Int64 = 3_600_000
    /// The number of older notes kept: after the loss of a zone, other devices may bring such objects much later.
    static let maximumCount = 500
}
