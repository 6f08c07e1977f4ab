import Backstitch
import BackstitchSync

/// All content of a store that a program can see, as text lines in a fixed order.
struct StoreImage: Equatable {
    let lines: [String]

    /// - Parameters:
    ///   - names: The entities to look at; nil for all.
    ///   - roots: The objects to look at, together with their descendants; nil for everything.
    ///   - parents: The parent of each object; nil to take the parents from relationships.
    ///   - others: Objects to look at besides those below the roots.
    init(
        _ coordinator: PersistentStoreCoordinator, of names: Set<String>? = nil, below roots: Set<ObjectKey>? = nil,
        by parents: [ObjectKey: ObjectKey]? = nil, besides others: Set<ObjectKey> = []
    ) throws {
        let model = coordinator.model, store = coordinator.store
        var batches: [(ResolvedEntity, RowBatch)] = []
        var present: Set<ObjectKey> = []
        for entity in model.entities where names?.contains(entity.name) ?? true {
            let rows = try store.fetch(StoreFetchRequest(entity: entity))
            present.formUnion(rows.keys)
            batches.append((entity, rows))
        }
        if let roots {
            present = Self.keys(below: roots, by: parents ?? Self.parents(in: batches), among: present)
                .union(others.intersection(present))
        }
        var lines: [String] = []
        for (entity, rows) in batches where rows.count > 0 {
            let links = try Self.links(entity, Array(rows.keys), coordinator)
            for row in 0..<rows.count where present.contains(rows.keys[row]) {
                let key = rows.keys[row]
                var parts = ["\(entity.name) \(key.uuidString.suffix(4))"]
                for column in entity.columns {
                    parts.append("\(column.name)=\(Self.text(rows.value(row, column.slot), present))")
                }
                for (name, targets) in links {
                    let seen = (targets[key] ?? []).filter(present.contains).sorted()
                    parts.append("\(name)=\(seen.map { $0.uuidString.suffix(4) })")
                }
                lines.append(parts.joined(separator: " "))
            }
        }
        self.lines = lines.sorted()
    }

    private static func parents(in batches: [(ResolvedEntity, RowBatch)]) -> [ObjectKey: ObjectKey] {
        var parents: [ObjectKey: ObjectKey] = [:]
        for (entity, rows) in batches {
            guard let column = entity.parentColumn else { continue }
            for row in 0..<rows.count where !rows.isNull(row, column.slot) {
                parents[rows.keys[row]] = rows.key(row, column.slot)
            }
        }
        return parents
    }

    /// The keys of the roots and their descendants. Parents in a circle lead to no root.
    private static func keys(
        below roots: Set<ObjectKey>, by parents: [ObjectKey: ObjectKey], among present: Set<ObjectKey>
    ) -> Set<ObjectKey> {
        present.filter { key in
            var next: ObjectKey? = key
            var seen: Set<ObjectKey> = []
            while let key = next, present.contains(key), seen.insert(key).inserted {
                if roots.contains(key) { return true }
                next = parents[key]
            }
            return false
        }
    }

    /// The attributes of all objects, as text. Attributes that are nil are left out.
    static func values(_ coordinator: PersistentStoreCoordinator) throws -> [ObjectKey: [String: String]] {
        var values: [ObjectKey: [String: String]] = [:]
        for entity in coordinator.model.entities {
            let rows = try coordinator.store.fetch(StoreFetchRequest(entity: entity))
            for row in 0..<rows.count {
                var object: [String: String] = [:]
                for column in entity.columns {
                    switch rows.value(row, column.slot) {
                    case .string(let text): object[column.name] = text
                    case .int(let number): object[column.name] = String(number)
                    default: continue
                    }
                }
                values[rows.keys[row]] = object
            }
        }
        return values
    }

    private static func links(
        _ entity: ResolvedEntity, _ keys: [ObjectKey], _ coordinator: PersistentStoreCoordinator
    ) throws -> [(String, [ObjectKey: [ObjectKey]])] {
        guard let journal = coordinator.store.journal else { return [] }
        return try journal.readJournal { reading in
            try entity.ownedLinks.map { ($0.name, try reading.links(of: $0, in: entity, sources: keys)) }
        }
    }

    /// A reference to a missing object reads as nil, on every device.
    private static func text(_ value: Value, _ present: Set<ObjectKey>) -> String {
        guard case .object(let id) = value else { return value.summary }
        return present.contains(id.key) ? String(id.key.uuidString.suffix(4)) : "nil"
    }

    /// Describes the lines found in only one of the two images; nil when they are equal.
    func difference(from other: StoreImage) -> String? {
        guard self != other else { return nil }
        let mine = Set(lines), theirs = Set(other.lines)
        return "only in the first: \(lines.filter { !theirs.contains($0) }); "
            + "only in the second: \(other.lines.filter { !mine.contains($0) })"
    }
}
