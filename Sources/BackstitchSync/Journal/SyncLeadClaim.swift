import Backstitch
import BackstitchSupport
import Foundation

/// A process's claim to lead all processes with the same store open.
package struct SyncLeadClaim: Sendable {
    /// The name of the process. No other process has it.
    let name: String
    /// Asks the lock whether this process holds it.
    let isHeld: @Sendable () throws -> Bool

    package init(name: String, isHeld: @escaping @Sendable () throws -> Bool) {
        (self.name, self.isHeld) = (name, isHeld)
    }
}
