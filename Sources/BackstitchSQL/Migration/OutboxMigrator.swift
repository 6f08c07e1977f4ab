import Backstitch
import BackstitchSupport

/// Renames the fields of unsent changes to a model's new names.
///
/// Reads the whole outbox in pages, because unsent changes are few compared with rows.
struct OutboxMigrator {
    private let connection: any SQLConnection
    private let mapping: ModelMapping
    private let entities: [String: String?]
    private let properties: [String: [String: String?]]
    private let table: OutboxTable

    init(
        _ connection: any SQLConnection, _ mapping: ModelMapping, entities: [String: String?],
        properties: [String: [String: String?]]
    ) {
        self.connection = connection
        self.mapping = mapping
        self.entities = entities
        self.properties = properties
        table = OutboxTable(connection)
    }

    /// The number of entries held in memory at a time.
    private static let entriesAtOnce = 50_000

    func run() throws {
        let isRenamed =
            entities.contains { $0.key != $0.value }
            || properties.contains { $0.value.contains { $0.key != $0.value } } || hasMovedLinks
        guard isRenamed else { return }
        for keys in try allKeys().parts(of: Self.entriesAtOnce) {
            var changed: [OutboxEntry] = [], gone: [ObjectKey] = []
            for entry in try table.entries(for: Array(keys)).values {
                // Entries of removed entities are deleted later, with all other entries about those entities.
                guard entities[entry.objectID.entityName] != .some(nil) else { continue }
                let new = migrated(entry)
                if new.kind == .update, new.fields.isEmpty {
                    gone.append(entry.objectID.key)
                } else if new != entry {
                    changed.append(new)
                }
            }
            try table.put(changed)
            try table.remove(gone)
        }
    }

    /// Whether a relationship keeps its links in another place than before.
    private var hasMovedLinks: Bool {
        mapping.new.entities.contains { entity in
            entity.relationships.contains { property in
                mapping.origin(of: property, in: entity).map {
                    $0.relationship?.storage != property.relationship?.storage
                } ?? false
            }
        }
    }

    private func allKeys() throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        let query = SQLStatement(connection.dialect, "SELECT key FROM \(SystemTables.outbox) ORDER BY key")
        try connection.forEachRow(of: query) { keys.append(try $0.key(0)) }
        return keys
    }

    /// The entry with its fields renamed. The entity's own name is changed later.
    private func migrated(_ entry: OutboxEntry) -> OutboxEntry {
        guard let entity = mapping.old.entity(named: entry.objectID.entityName),
            let successor = mapping.tableSuccessor(of: entity)
        else { return entry }
        var entry = entry
        entry.fields = entry.fields.compactMap { field in
            guard let property = entity.property(named: field.name) else { return field }
            guard let new = mapping.successor(of: property, for: entity), new.isSent(from: successor) else {
                return nil
            }
            var field = field
            field.name = new.name
            field.base = base(field.base, of: new)
            return field
        }
        entry.fields.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return entry
    }

    /// The merge base in the form of the new property's values.
    private func base(_ base: OutboxEntry.Base, of property: ResolvedProperty) -> OutboxEntry.Base {
        let isToMany = property.relationship?.isToMany ?? false
        switch base {
        case .value(.object(let id)):
            if isToMany { return .links([id.key]) }
            let name = entities[id.entityName].flatMap { $0 } ?? id.entityName
            return .value(.object(ObjectID(entityName: name, key: id.key)))
        case .value(.null): return isToMany ? .links([]) : base
        case .links(let keys):
            guard !isToMany, let relationship = property.relationship else { return base }
            let name = mapping.new.destination(of: relationship).name
            return .value(keys.first.map { .object(ObjectID(entityName: name, key: $0)) } ?? .null)
        case .value, .digest: return base
        }
    }
}

extension ResolvedProperty {
    /// Whether the entity's records carry the property.
    fileprivate func isSent(from entity: ResolvedEntity) -> Bool {
        slot < entity.columnCount || relationship?.storage == .ownedLinks
    }
}
