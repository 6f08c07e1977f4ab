import Backstitch
import BackstitchSupport
import CloudWire

/// The author under which sync writes history.
package enum SyncAuthor {
    /// The author's name.
    package static let name = "backstitch.sync"
}
