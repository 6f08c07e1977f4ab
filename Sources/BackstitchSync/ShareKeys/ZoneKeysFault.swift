import Backstitch
import BackstitchSupport
import CloudWire

/// Why keys of a zone are not taken.
struct ZoneKeysFault: Error, Sendable, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
