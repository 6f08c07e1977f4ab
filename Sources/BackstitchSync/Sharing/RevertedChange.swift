public import Backstitch

/// A change in a zone of somebody else that the user had no right to (any more) when it was sent, or whose object is
/// not shared with the user any more: the object is what its owner has again, or is gone here. Told once, in the
/// summary of the cycle that took it back.
///
/// ```swift
/// for change in try await sync.sync().reverted { show(change.objectID, change.values) }
/// ```
public struct RevertedChange: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The kind of change that was taken back: an object that was inserted here is gone, one that was deleted here is
    /// there again.
    public var kind: OutboxEntry.Kind
    /// The properties that had been changed here, in order of names.
    public var keys: [String]
    /// The values that those attributes and to-one relationships had here, which are lost otherwise. Of binary data
    /// that is stored outside the row it is nothing.
    public var values: [String: Value]
    /// Why it was taken back.
    public var reason: String

    /// A change that was taken back.
    public init(objectID: ObjectID, kind: OutboxEntry.Kind, keys: [String], values: [String: Value], reason: String) {
        self.objectID = objectID
        self.kind = kind
        self.keys = keys
        self.values = values
        self.reason = reason
    }
}

extension JournalReading {
    /// Unsent changes with the values that they have given their objects here, in the order of the changes.
    func reverted(
        _ entries: [OutboxEntry], _ model: SyncedModel, reason: (OutboxEntry) -> String
    ) throws -> [RevertedChange] {
        // A record that was to be encrypted anew is no change of the user's.
        let entries = entries.filter { !$0.hasNoEdits }
        var images: [ObjectKey: RecordImage] = [:]
        for (name, entries) in Dictionary(grouping: entries, by: \.objectID.entityName) {
            guard let entity = model.entity(named: name) else { continue }
            let keys = entries.map(\.objectID.key)
            let local = try LocalImages(of: keys, entity, from: self)
            for key in keys { images[key] = local[key] }
        }
        return entries.map { entry in
            let properties = model.entity(named: entry.objectID.entityName).map { entity in
                entity.entity.syncedProperties.filter { property in
                    entry.kind == .insert || entry.fields.contains { $0.name == property.name }
                }
            }
            let image = entry.kind == .delete ? nil : images[entry.objectID.key]
            let values = (properties ?? []).compactMap { property -> (String, Value)? in
                guard let image, property.slot < image.values.count,
                    property.attribute?.allowsExternalStorage != true
                else { return nil }
                return (property.name, image.values[property.slot])
            }
            return RevertedChange(
                objectID: entry.objectID, kind: entry.kind,
                keys: entry.kind == .delete ? [] : (properties ?? []).map(\.name).sorted(),
                values: Dictionary(values, uniquingKeysWith: { $1 }), reason: reason(entry))
        }
    }
}
