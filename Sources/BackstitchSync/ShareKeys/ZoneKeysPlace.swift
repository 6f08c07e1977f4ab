import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The identity of a zone for its keys: they cannot be opened as the keys of another zone.
struct ZoneKeysPlace: Sendable, Hashable {
    let container: String
    let environment: String
    /// The record name of the zone's owner.
    let owner: String
    /// The zone's name on the server.
    let zone: String

    /// HPKE's `info`: each text follows its length.
    func info(_ document: ZoneKeysDocument) -> Data {
        var info = Data("backstitch.share.key".utf8)
        for text in [container, environment, owner, zone, document.key] {
            info.append(contentsOf: UInt32(text.utf8.count).bigEndianBytes)
            info.append(contentsOf: text.utf8)
        }
        return info
    }
}
