import Backstitch
import BackstitchSupport
import Foundation

/// By what a process leads those that have a store open.
package struct SyncLeadClaim: Sendable {
    /// A name that no other process has.
    let name: String
    /// Asks the lock whether this process has it.
    let isHeld: @Sendable () throws -> Bool

    package init(name: String, isHeld: @escaping @Sendable () throws -> Bool) {
        (self.name, self.isHeld) = (name, isHeld)
    }
}
