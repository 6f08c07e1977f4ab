import Backstitch
import BackstitchSupport
import CloudWire

/// The author of the history that sync writes.
package enum SyncAuthor {
    /// The author's name in history.
    package static let name = "backstitch.sync"
}
