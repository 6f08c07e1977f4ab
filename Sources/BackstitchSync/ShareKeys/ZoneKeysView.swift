import Backstitch
import CloudWire
import Foundation

/// The keys of one zone as they follow from all that is known of them.
struct ZoneKeysView: Sendable {
    /// The keys; nil where there are none, or none that can be opened here.
    var keys: ZoneKeys?
    /// Why there are none, though there should be some.
    var problem: String?
    /// Why the record on the server is not taken.
    var fault: String?
    /// The step that is due on the server.
    var duty: Duty?

    /// A step that this device owes the server.
    enum Duty: Sendable {
        /// To tell the user's public key.
        case tell(SharePublicKey)
        /// To give the zone this document, sealed by the identity.
        case write(ZoneKeys, ShareIdentity)
    }
}
