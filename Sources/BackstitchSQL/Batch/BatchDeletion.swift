import Backstitch
import BackstitchSupport

/// Deletes rows as their delete rules demand: finds all objects to delete, refuses if a rule denies it, unlinks,
/// deletes.
struct BatchDeletion {
    private let writer: BatchWriter
    private let number: Int64
    private var doomed: [ResolvedEntity: Set<ObjectKey>] = [:]
    private var history = HistoryCollector()

    /// An error lists at most this number of faults.
    private static let maximumFaults = 100

    init(_ writer: BatchWriter, _ number: Int64) {
        self.writer = writer
        self.number = number
    }

    /// Deletes the objects with these keys, and all objects that cascade rules add.
    ///
    /// - Returns: The segments to write to history.
    /// - Throws: ``BackstitchError/Code/deleteDenied`` with a fault for each denied object.
    consuming func delete(_ keys: [ObjectKey], of entity: ResolvedEntity) throws -> [HistorySegment] {
        var deletion = self
        try deletion.find(keys, of: entity)
        let entities = deletion.doomed.keys.sorted { $0.index < $1.index }
        for entity in entities { try deletion.denyIfAnyRemain(entity) }
        for entity in entities { try deletion.unlink(entity) }
        for entity in entities { try deletion.deleteRows(of: entity) }
        return deletion.history.segments()
    }

    /// The root entity of a family: all rows of a table are noted under it.
    private func root(_ entity: ResolvedEntity) -> ResolvedEntity {
        writer.model.entities[entity.family?.rootIndex ?? entity.index]
    }

    private func destination(of relationship: ResolvedRelationship) -> ResolvedEntity {
        root(writer.model.destination(of: relationship))
    }

    /// Notes the objects to delete, and all objects that cascade rules reach from them. A cycle ends by itself, because
    /// an object is noted once.
    private mutating func find(_ keys: [ObjectKey], of entity: ResolvedEntity) throws {
        doomed[root(entity)] = Set(keys)
        var wave = [root(entity): keys]
        while !wave.isEmpty {
            var next: [ResolvedEntity: [ObjectKey]] = [:]
            for (entity, keys) in wave {
                for (property, relationship) in entity.relationships(deleting: [.cascade]) {
                    let destination = self.destination(of: relationship)
                    try forEachLink(of: property, in: entity, keys) { _, target in
                        if doomed[destination, default: []].insert(target).inserted {
                            next[destination, default: []].append(target)
                        }
                    }
                }
            }
            wave = next
        }
    }

    /// Throws if a deny rule of one entity meets an object that stays.
    private func denyIfAnyRemain(_ entity: ResolvedEntity) throws {
        var faults: [BackstitchError] = []
        for (property, relationship) in entity.relationships(deleting: [.deny]) {
            let going = doomed[destination(of: relationship)] ?? []
            var denied: Set<ObjectKey> = []
            try forEachLink(of: property, in: entity, sorted(entity)) { source, target in
                guard !going.contains(target), denied.insert(source).inserted, faults.count < Self.maximumFaults
                else { return }
                let id = ObjectID(entityName: entity.name, key: source)
                let other = ObjectID(entityName: property.destinationName, key: target)
                faults.append(
                    BackstitchError(
                        .deleteDenied,
                        "\(id) cannot be deleted while its \(property.name) has \(other); delete that too, or unlink it",
                        objectID: id, key: property.name))
            }
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .deleteDenied, summary: "\(faults.count) deletions are denied:")
        }
    }

    /// Clears the columns of other rows that refer to the deleted objects. Links in tables are deleted with the rows.
    private mutating func unlink(_ entity: ResolvedEntity) throws {
        for (property, relationship) in entity.relationships(deleting: [.nullify, .cascade, .deny])
        where relationship.storage == .inverseColumn {
            let destination = self.destination(of: relationship)
            let going = doomed[destination] ?? []
            var referring: [ObjectKey] = []
            try forEachLink(of: property, in: entity, sorted(entity)) { _, target in
                if !going.contains(target) { referring.append(target) }
            }
            let column = writer.model.inverse(of: relationship).slot
            let assignment = BatchAssignment(column: column, expression: .constant(.null))
            for part in referring.parts(of: BatchWriter.partLength) {
                for rows in writer.byEntity(try writer.rows(of: destination, keys: part)) {
                    let update = try rows.applying([assignment])
                    try write(going: doomed[root(entity)] ?? []) { $0.updates = [update] }
                }
            }
        }
    }

    private mutating func deleteRows(of entity: ResolvedEntity) throws {
        for part in sorted(entity).parts(of: BatchWriter.partLength) {
            let deletes = writer.byEntity(try writer.rows(of: entity, keys: part))
            try write { $0.deletes = deletes }
        }
    }

    private mutating func write(
        going: Set<ObjectKey> = [], _ fill: (inout SaveChangesRequest) throws -> Void
    ) throws {
        for segment in try writer.writePart(number, going: going, fill) { history.add(segment) }
    }

    private func sorted(_ entity: ResolvedEntity) -> [ObjectKey] { (doomed[entity] ?? []).sorted() }

    /// Runs `body` with both ends of each link of a relationship whose destination exists.
    private func forEachLink(
        of property: ResolvedProperty, in entity: ResolvedEntity, _ sources: [ObjectKey],
        _ body: (_ source: ObjectKey, _ target: ObjectKey) throws -> Void
    ) throws {
        let reader = RowReader(writer.connection, statements: writer.statements)
        for part in sources.parts(of: BatchWriter.partLength) {
            for chunk in reader.chunks(Array(part)) {
                guard
                    let statement = writer.statements.related(by: property, of: entity, sources: chunk, keysOnly: true)
                else { return }
                try writer.connection.forEachRow(of: statement) { try body(try $0.key(0), try $0.key(1)) }
            }
        }
    }
}

extension ResolvedEntity {
    /// The relationships with one of these delete rules, each with its property.
    fileprivate func relationships(
        deleting rules: Set<DeleteRule>
    ) -> [(property: ResolvedProperty, relationship: ResolvedRelationship)] {
        properties.compactMap { property in
            guard let relationship = property.relationship, rules.contains(relationship.description.deleteRule) else {
                return nil
            }
            return (property, relationship)
        }
    }
}
