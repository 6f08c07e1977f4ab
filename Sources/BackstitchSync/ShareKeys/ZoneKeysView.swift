import Backstitch
import CloudWire
import Foundation

/// The state of one zone's keys, computed from everything known about them.
struct ZoneKeysView: Sendable {
    /// The keys; nil if there are none, or none that can be opened here.
    var keys: ZoneKeys?
    /// The reason for missing keys in a zone with keys.
    var problem: String?
    /// The reason for not accepting the record on the server.
    var fault: String?
    /// The next step on the server.
    var duty: Duty?

    /// A step this device has to take on the server.
    enum Duty: Sendable {
        /// Tell the user's public key.
        case tell(SharePublicKey)
        /// Write this document to the zone, sealed by the identity.
        case write(ZoneKeys, ShareIdentity)
    }
}
