import Backstitch
import Foundation

/// One property of sync's knowledge, stored in the metadata under its own name.
///
/// ```swift
/// try journal.set(.token, to: page.token)
/// let token = try journal.value(of: .token)  // String?
/// ```
struct SyncProperty<Value: SyncPropertyValue>: Sendable {
    /// The key in the metadata.
    let name: String
}

extension JournalReading {
    /// The value of a property; nil if it has none.
    func value<Value>(of property: SyncProperty<Value>) throws -> Value? {
        try metadata(for: property.name).flatMap { try Value(storedForm: $0) }
    }

    /// Whether a property has a value.
    func has<Value>(_ property: SyncProperty<Value>) throws -> Bool { try metadata(for: property.name) != nil }
}

extension JournalWriting {
    /// Sets the value of a property. Nil removes it.
    func set<Value>(_ property: SyncProperty<Value>, to value: Value?) throws {
        try setMetadata(value?.storedForm, for: property.name)
    }

    func remove<Value>(_ property: SyncProperty<Value>) throws { try setMetadata(nil, for: property.name) }
}
