/// The ways up from objects by the relationships that their entities name as those to the parent, read level by level:
/// a handful of reads, however many objects there are.
///
/// ```swift
/// var chain = ParentChain(model) { try journal.rows(of: $0, keys: $1) }
/// try chain.climb(from: ids)
/// let above = chain.keys(above: ids[0].key)    // its own key among them
/// ```
package struct ParentChain {
    /// Most parents above an object that are looked at, as on the server.
    package static let deepest = 100

    private let model: ResolvedModel
    private let rows: (ResolvedEntity, [ObjectKey]) throws -> RowBatch
    /// The parents of objects that were read; nil for none.
    private var parents: [ObjectKey: ObjectID?] = [:]

    /// - Parameter rows: Reads the rows with some keys.
    package init(_ model: ResolvedModel, rows: @escaping (ResolvedEntity, [ObjectKey]) throws -> RowBatch) {
        (self.model, self.rows) = (model, rows)
    }

    /// Takes the parents of objects from rows that are at hand, which need not be read then.
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

    /// Reads all that is above some objects.
    ///
    /// - Complexity: O(*n* · *d*) in the number of objects and of levels above them.
    package mutating func climb(from ids: [ObjectID]) throws {
        var next = Set(ids)
        for _ in 0...Self.deepest {
            // Of some the parents are at hand, and theirs may be as well.
            next = Set(next.compactMap(firstUnread))
            guard !next.isEmpty else { return }
            for (name, ids) in Dictionary(grouping: next, by: \.entityName).sorted(by: { $0.key < $1.key }) {
                for id in ids { parents[id.key] = .some(nil) }
                guard let entity = model.entity(named: name) else { continue }
                note(try rows(entity, ids.map(\.key).sorted()))
            }
        }
    }

    /// The first object on the way up whose parent is not known yet; nil where all is known.
    private func firstUnread(from id: ObjectID) -> ObjectID? {
        var next = id
        var seen: Set<ObjectKey> = []
        while let parent = parents[next.key] {
            guard let parent, seen.insert(next.key).inserted else { return nil }
            next = parent
        }
        return next
    }

    /// The keys of an object and of all that is above it, as far as they were read.
    package func keys(above key: ObjectKey) -> Set<ObjectKey> { Set(way(up: key)) }

    /// The same, the nearest first.
    package func way(up key: ObjectKey) -> [ObjectKey] {
        var way = [key]
        var seen: Set<ObjectKey> = [key]
        while let parent = parents[way[way.count - 1]] ?? nil, way.count <= Self.deepest,
            seen.insert(parent.key).inserted
        { way.append(parent.key) }
        return way
    }
}
