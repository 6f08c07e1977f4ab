import Backstitch
import BackstitchSQLite
import BackstitchSync
import BackstitchTestKit
import CloudWire

/// The kinds of faults.
package enum FaultKind: String, CaseIterable, Sendable {
    /// The network loses, doubles, delays and garbles.
    case weather
    /// Nothing gets through, one way or both.
    case partitions
    /// Devices die, at any moment.
    case crashes
    /// The server stops and starts.
    case restarts
    /// Clocks jump, stand still and are wrong.
    case clocks
    /// The server invalidates all change tokens.
    case epochs
    /// Somebody deletes the zone.
    case zones
    /// The power of a device is cut, or the server's.
    case powerCuts
}
