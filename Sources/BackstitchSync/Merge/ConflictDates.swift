import Backstitch
import CloudWire
import Foundation

// The dates of the two sides of a conflict: history has that of a save here, the record that of its last change there.

extension OutboxEntry {
    /// The number of the last save that changed one of some properties; the last of all where there are none.
    func lastSave(of keys: [String]) -> Int64 {
        fields.filter { keys.contains($0.name) }.map(\.sequence).max() ?? sequence
    }
}

extension WireRecord {
    /// When it was last changed, as far as the server says so.
    var modificationDate: Date? { modified.map { Date(milliseconds: $0.timestamp) } }
}
