import Backstitch
import BackstitchSQLite
import BackstitchSync
import BackstitchTestKit
import CloudWire

/// The kinds of faults in a world.
package enum FaultKind: String, CaseIterable, Sendable {
    /// The network loses, duplicates, delays and garbles messages.
    case weather
    /// The network is blocked in one direction or both.
    case partitions
    /// Processes on devices die at any moment.
    case crashes
    /// The server stops and starts.
    case restarts
    /// Clocks jump, freeze and are wrong.
    case clocks
    /// The server invalidates all change tokens.
    case epochs
    /// Another program deletes the zone.
    case zones
    /// The power of a device is cut, or the server's.
    case powerCuts
}
