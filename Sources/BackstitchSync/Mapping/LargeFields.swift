import Backstitch
import CloudWire
import Foundation

/// The additional fields with values that are too large for the record: they hold the bytes as assets.
///
/// A record's stored unknown fields show its additional fields, so no other note is needed.
enum LargeFields {
    /// The suffix of the names of such fields.
    static let suffix = "_asset"

    /// Returns the additional fields that the record has on the server.
    static func names(in unknown: Data?, of entity: SyncedEntity) -> Set<String> {
        guard let unknown, !entity.largeColumns.isEmpty, let fields = try? WireRecord.Fields(json: Array(unknown))
        else {
            return []
        }
        return Set(fields.values.keys.filter { entity.largeColumns[$0] != nil })
    }

    /// Returns the stored unknown fields after the server has set or cleared some of the additional fields.
    static func changing(
        _ unknown: Data?, by changes: [String: WireAsset?], of recordName: String
    ) -> Data? {
        if changes.isEmpty { return unknown }
        var fields: [String: WireValue?] = [:]
        if let unknown, let known = try? WireRecord.Fields(json: Array(unknown)) {
            for (name, value) in known.values { fields.updateValue(value, forKey: name) }
        }
        for (name, asset) in changes {
            if let asset { fields.updateValue(.asset(asset), forKey: name) } else { fields.removeValue(forKey: name) }
        }
        // Fields that could be read can be written.
        return fields.isEmpty ? nil : (try? WireRecord.encodeFields(fields, of: recordName)).map { Data($0) } ?? unknown
    }
}

extension SyncNotes where Subject == String, Value == Int64 {
    /// Parked records that wait for the bytes of large values, by their names. The value is the earliest time of the
    /// next try, in milliseconds since 1970.
    static var awaitedBytes: Self { Self(prefix: "sync.awaitedBytes/") }
}
