import Backstitch
import Foundation

/// The place of a value: it cannot be decrypted in any other place.
///
/// The zone is not part of it. An object keeps its values when it moves to another zone, and its record has the same
/// name in all zones.
struct SealedPlace {
    let recordName: String
    let recordType: String
    let field: String

    /// Each text follows its length, so two places never have the same bytes.
    var bytes: Data {
        var bytes = Data("backstitch.field".utf8)
        for text in [recordName, recordType, field] {
            withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: text.utf8)
        }
        return bytes
    }
}
