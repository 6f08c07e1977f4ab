/// The chains of parents above objects, read level by level: a few reads for any number of objects. A parent is the
/// destination of the relationship that the entity names with `parent(_:)`.
///
/// ```swift
/// var chain = ParentChain(model) { try journal.rows(of: $0, keys: $1) }
/// try chain.climb(from: ids)
/// let above = chain.keys(above: ids[0].key)    // its own key among them
/// ```
package struct ParentChain {
    /// The most parents followed above an object; the server has the same limit.
    package static let deepest = 100

    private let model: ResolvedModel
    private let rows: (ResolvedEntity, [ObjectKey]) throws -> RowBatch
    /// The known parents of objects; nil for an object without a parent.
    private var parents: [ObjectKey: ObjectID?] = [:]

    /// - Parameter rows: Reads the rows with some keys.
    package init(_ model: ResolvedModel, rows: @escaping (ResolvedEntity, [ObjectKey]) throws -> RowBatch) {
        (self.model, self.rows) = (model, rows)
    }

    /// Takes the parents of objects from given rows, so that they need not be read.
    package mutating func note(_ rows: RowBatch) {
        for row in 0..<rows.count {
            let entity = model.entity(named: rows.entityName(at: row)) ?? rows.entity
            parents[rows.keys[row]] = .some(
                entity.parentColumn.flatMap { column in
                    rows.isNull(row, column.slot)
                        ? nil : ObjectID(entityName: column.destinationName, key: rows.key(row, column.slot))
                })
        }
    }

    /// Reads all ancestors of some objects.
    ///
    /// - Complexity: O(*n* · *d*) in the number of objects and of levels above them.
    package mutating func climb(from ids: [ObjectID]) throws {
        var next = Set(ids)
        for _ in 0...Self.deepest {
            // Some parents are already known, and perhaps the parents of these too.
            next = Set(next.compactMap(firstUnread))
            guard !next.isEmpty else { return }
            for (name, ids) in Dictionary(grouping: next, by: \.entityName).sorted(by: { $0.key < $1.key }) {
                for id in ids { parents[id.key] = .some(nil) }
                guard let entity = model.entity(named: name) else { continue }
                note(try rows(entity, ids.map(\.key).sorted()))
            }
        }
    }

    /// The first object of the chain without a known parent; nil if the whole chain is known.
    private func firstUnread(from id: ObjectID) -> ObjectID? {
        var next = id
        var seen: Set<ObjectKey> = []
        while let parent = parents[next.key] {
            guard let parent, seen.insert(next.key).inserted else { return nil }
            next = parent
        }
        return next
    }

    /// Returns the keys of an object and of its ancestors, as far as they were read.
    package func keys(above key: ObjectKey) -> Set<ObjectKey> { Set(way(up: key)) }

    /// Returns the same keys in order, the nearest first.
    package func way(up key: ObjectKey) -> [ObjectKey] {
        var way = [key]
        var seen: Set<ObjectKey> = [key]
        while let parent = parents[way[way.count - 1]] ?? nil, way.count <= Self.deepest,
            seen.insert(parent.key).inserted
        { way.append(parent.key) }
        return way
    }
}
