public import Backstitch

/// A change in another user's zone that was taken back. Either the user no longer had the right to it when it was sent,
/// or the object is no longer shared with the user. The object has its owner's values again, or was deleted here. The
/// change is reported once, in the summary of the cycle that took it back.
///
/// ```swift
/// for change in try await sync.sync().reverted { show(change.objectID, change.values) }
/// ```
public struct RevertedChange: Sendable, Hashable {
    /// The object of the change.
    public var objectID: ObjectID
    /// The kind of the change. After a reverted insert the object is gone; after a reverted deletion it is back.
    public var kind: OutboxEntry.Kind
    /// The properties changed here, in order of their names.
    public var keys: [String]
    /// The values here of the changed attributes and to-one relationships, otherwise lost. Binary data stored outside
    /// the row is left out.
    public var values: [String: Value]
    /// The reason for taking it back.
    public var reason: String

    /// Creates the description of a reverted change.
    public init(objectID: ObjectID, kind: OutboxEntry.Kind, keys: [String], values: [String: Value], reason: String) {
        self.objectID = objectID
        self.kind = kind
        self.keys = keys
        self.values = values
        self.reason = reason
    }
}

extension JournalReading {
    /// Unsent changes as reverted changes, with the values they have given their objects here, in the same order.
    func reverted(
        _ entries: [OutboxEntry], _ model: SyncedModel, reason: (OutboxEntry) -> String
    ) throws -> [RevertedChange] {
        // A record that only awaits encryption with a new key has no change by the user.
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
