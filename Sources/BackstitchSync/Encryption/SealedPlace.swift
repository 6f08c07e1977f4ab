import Backstitch
import Foundation

/// Where a value belongs: it cannot be decrypted anywhere else.
///
/// The zone is no part of it, since an object keeps its values when it moves to another zone; its name is its own in
/// all of them.
struct SealedPlace {
    let recordName: String
    let recordType: String
    let field: String

    /// Each text behind its length, so that no two places have the same bytes.
    var bytes: Data {
        var bytes = Data("backstitch.field".utf8)
        for text in [recordName, recordType, field] {
            withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: text.utf8)
        }
        return bytes
    }
}
