import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire

/// The public database of a world: what the world knows of its records.
struct PublicData {
    /// The users who have made records that are there.
    var makers: [ObjectKey: String] = [:]
    /// Objects that a device may have though it does not follow them, by its disk: it has changed them, or keeps them.
    var touched: [String: Set<ObjectKey>] = [:]
    /// Records whose last change is dated before what a device may have read already, by more than devices ask back.
    var datedBack: Set<ObjectKey> = []
    /// When anything has changed last, by the world's time.
    var changed: Int64 = 0
    /// The latest date of a change, by the server's clock.
    var latest = Int64.min
    /// Records that were deleted since the device came that comes in the end, by a copy of a push that was late and its
    /// withdrawal: where the server has no feed, that device lets them go when a day has passed.
    var goneLately: Set<ObjectKey> = []
    /// A device that comes in the end, and follows everything.
    var newcomer: SimulatedDevice?
    /// Milliseconds by which devices of a server without a feed ask back.
    static let overlap: Int64 = 60_000
}
