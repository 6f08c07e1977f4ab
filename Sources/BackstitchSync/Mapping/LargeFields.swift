import Backstitch
import CloudWire
import Foundation

/// The fields beside those of values that a record has no room for: they have the bytes, as assets.
///
/// Which ones a record has is among the fields that are kept of it unread, so no other note is needed of that.
enum LargeFields {
    /// Ends the name of such a field.
    static let suffix = "_asset"

    /// Those that the record has on the server.
    static func names(in unknown: Data?, of entity: SyncedEntity) -> Set<String> {
        guard let unknown, !entity.largeColumns.isEmpty, let fields = try? WireRecord.Fields(json: Array(unknown))
        else {
            return []
        }
        return Set(fields.values.keys.filter { entity.largeColumns[$0] != nil })
    }

    /// The other fields of a record as they are kept after the server has taken some of these, set or cleared.
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
    /// Parked records that wait for the bytes of large values, by their names: before when they are not tried again
    /// (milliseconds since 1970).
    static var awaitedBytes: Self { Self(prefix: "sync.awaitedBytes/") }
}
