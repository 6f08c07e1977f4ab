import Backstitch
import CloudWire
import Foundation

// The dates of the two sides of a conflict. History has the date of the save here, and the record has the date of its
// last change on the server.

extension OutboxEntry {
    /// Returns the number of the last save that changed one of these properties; without any, that of the last save.
    func lastSave(of keys: [String]) -> Int64 {
        fields.filter { keys.contains($0.name) }.map(\.sequence).max() ?? sequence
    }
}

extension WireRecord {
    /// The date of its last change, if the server sends it.
    var modificationDate: Date? { modified.map { Date(milliseconds: $0.timestamp) } }
}
