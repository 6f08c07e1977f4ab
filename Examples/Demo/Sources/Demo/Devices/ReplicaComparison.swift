import Backstitch

/// Compares two stores value for value, and lists the differences.
struct ReplicaComparison {
    private(set) var objects = 0
    private(set) var relationships = 0
    private(set) var differences: [String] = []

    init(_ left: PersistentContainer, _ right: PersistentContainer) async throws {
        let ours = try await left.perform { try ReplicaContent($0) }
        let theirs = try await right.perform { try ReplicaContent($0) }
        objects = ours.values.count
        relationships = ours.relationshipCount
        for (id, values) in ours.values {
            guard let others = theirs.values[id] else {
                differences.append("\(id) is only on the first device")
                continue
            }
            for (key, value) in values where others[key] != value {
                differences.append("\(id).\(key): \(value) and \(others[key].map { "\($0)" } ?? "nothing")")
            }
        }
        differences += theirs.values.keys.filter { ours.values[$0] == nil }.map { "\($0) is only on the second device" }
        differences.sort()
    }
}

/// The content of a store, by object and property.
private struct ReplicaContent: Sendable {
    enum Content: Hashable, Sendable {
        case value(Value)
        case links(Set<ObjectKey>)
    }

    var values: [ObjectID: [String: Content]] = [:]

    init(_ context: ManagedObjectContext) throws {
        let store = context.coordinator.store
        for entity in context.model.entities {
            let rows = try store.fetch(StoreFetchRequest(entity: entity))
            for row in 0..<rows.count {
                let columns = entity.columns.map { ($0.name, Content.value(rows.value(row, $0.slot))) }
                values[rows.objectID(at: row)] = Dictionary(uniqueKeysWithValues: columns)
            }
            for property in entity.relationships where property.relationship?.storage == .ownedLinks {
                let related = try store.related(by: property, of: entity, sources: Array(rows.keys))
                for (source, links) in Dictionary(grouping: related.links, by: \.source) {
                    values[ObjectID(entityName: entity.name, key: source)]?[property.name] = .links(
                        Set(links.map { related.rows.keys[$0.row] }))
                }
            }
        }
    }

    var relationshipCount: Int {
        values.values.reduce(0) { sum, properties in
            sum
                + properties.values.reduce(0) { count, content in
                    switch content {
                    case .value(.object): count + 1
                    case .links(let targets): count + targets.count
                    case .value: count
                    }
                }
        }
    }
}
