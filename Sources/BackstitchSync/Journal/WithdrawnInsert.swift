import Backstitch
import CloudWire

/// How long what has to do with withdrawn inserts is kept.
enum WithdrawnInsert {
    /// Milliseconds for which a request is expected to arrive that was given up: what lies between may keep it for
    /// minutes.
    static let longestJourney: Int64 = 3_600_000
    /// So many older ones are kept: in a zone that was lost others may bring such objects much later.
    static let mostOld = 500
}
