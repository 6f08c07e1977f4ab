import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire

/// The world's knowledge of the public database.
struct PublicData {
    /// The creator of each existing record.
    var makers: [ObjectKey: String] = [:]
    /// Whether every user may change records now, not only their creator.
    var everybodyWrites = false
    /// The world's time of the last change of these rights.
    var rightsChanged = -PublicData.longestRequest
    /// Objects that a device may have without following them, by its disk: it has changed them, or keeps them.
    var touched: [String: Set<ObjectKey>] = [:]
    /// Records whose last change has too early a date. A device has read past that date by more than the overlap.
    var datedBack: Set<ObjectKey> = []
    /// The world's time of the last change.
    var changed: Int64 = 0
    /// The latest date of a change, by the server's clock.
    var latest = Int64.min
    /// Records deleted since the newcomer came. They were made by a late copy of a push and then withdrawn. From a
    /// server without a feed, the newcomer removes them only after a day.
    var goneLately: Set<ObjectKey> = []
    /// A device that starts at the end and follows everything.
    var newcomer: SimulatedDevice?
    /// Milliseconds of overlap when devices ask a server without a feed for changes.
    static let overlap: Int64 = 60_000
    /// Milliseconds after a change of rights in which the server may still end a request of before.
    static let longestRequest: Int64 = 60_000
}
