import Backstitch
import BackstitchSupport
import CloudWire

/// The reason for not accepting the keys of a zone.
struct ZoneKeysFault: Error, Sendable, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
