package import Backstitch

/// Writes a save through a connection that has begun a transaction: rows, links, history and, for a synced store, the
/// outbox. If it throws, the transaction must be undone.
package struct SaveWriter {
    private let connection: any SQLConnection
    private let statements: ModelStatements
    private let keepsOutbox: Bool

    private var model: ResolvedModel { statements.model }

    /// Creates a writer for saves of a model's objects.
    package init(_ connection: any SQLConnection, statements: ModelStatements, keepsOutbox: Bool) {
        self.connection = connection
        self.statements = statements
        self.keepsOutbox = keepsOutbox
    }

    /// Writes all of `request`. An empty request writes nothing, and returns the last transaction's number.
    ///
    /// - Parameter timestamp: Milliseconds since 1970, for history.
    /// - Parameter token: Identifies the transaction in history, for ``TransactionToken``.
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object whose stored row has changed since
    ///   it was read.
    package func write(
        _ request: SaveChangesRequest, timestamp: Int64, token: ObjectKey? = nil
    ) throws -> SaveResult {
        let history = HistoryWriter(connection)
        if request.isEmpty { return SaveResult(transactionNumber: try history.lastNumber()) }
        if !keepsOutbox { try request.requireNoZones() }
        // The outbox is read and written again, so a store with an outbox writes alone. Others wait only for the
        // number.
        var number = keepsOutbox ? try history.nextNumber() : 0
        let segments = try writeContent(of: request, number: number)
        if !keepsOutbox { number = try history.nextNumber() }
        let author = HistoryAuthor(
            author: request.author, context: request.contextName, timestamp: timestamp, token: token)
        let isMarked = try history.write(number, author, segments, keepsOutbox: keepsOutbox)
        try KeyOwners(connection, statements).check(segments, givesKeys: request.givesKeys, isMarked: isMarked)
        return SaveResult(transactionNumber: number)
    }

    /// Writes all of `request` except its history.
    ///
    /// - Parameters:
    ///   - number: The transaction's number; only the outbox needs it.
    ///   - going: The objects that further parts of the same batch request delete.
    /// - Returns: The segments to write to history.
    func writeContent(
        of request: SaveChangesRequest, number: Int64, going: Set<ObjectKey> = []
    ) throws -> [HistorySegment] {
        let zones = keepsOutbox ? try ZoneTable(connection).zones() : nil
        let shared = try zones.flatMap { try SharedRootRights($0, before: request, connection, statements) }
        let owned =
            keepsOutbox
            ? try OwnedLinks(of: request.deletes, RowReader(connection, statements: statements)) : OwnedLinks()
        try writeRows(request)
        let changes = SaveChanges(request)
        let effects = try writeLinks(request, changes).map(changes.withoutDeleted)
        if let zones {
            try ZonePlacement.write(request, among: zones, on: connection, statements: statements)
            try ZoneRights(zones, connection).check(request, effects)
            try shared?.check(request, effects)
            let creators = CreatorRightsCheck(
                zones, request, effects, going: going.union(changes.deleted), connection)
            try writeOutbox(request, changes, effects, number, owned, withheld: creators?.check() ?? [])
        }
        return changes.history(with: effects)
    }

    /// Deletes are first, because a save may delete an object and insert it again.
    private func writeRows(_ request: SaveChangesRequest) throws {
        var writer = RowWriter(connection, statements)
        for rows in request.deletes { try writer.delete(rows) }
        let constraints = ConstraintCheck(request, connection, model: model)
        if writer.conflicts.isEmpty {
            try constraints?.check()
            try constraints?.makeWay()
        }
        for update in request.updates { try writer.update(update) }
        for rows in request.inserts { try writer.insert(rows) }
        guard writer.conflicts.isEmpty else {
            // A row that another transaction has stored since the check prevents an insert, like a taken key.
            try constraints?.check()
            try writer.conflicts.refuseTakenKeys(RowReader(connection, statements: statements))
            throw try writer.conflicts.error(RowReader(connection, statements: statements))
        }
    }

    private func writeLinks(_ request: SaveChangesRequest, _ changes: SaveChanges) throws -> [LinkEffect] {
        try LinkEnds(request, changes, model: model).require(in: RowReader(connection, statements: statements))
        let writer = LinkWriter(connection, statements)
        let needsBefore: (ObjectKey) -> Bool = { key in
            // New objects had no links. The links of deleted objects were read before the first write.
            keepsOutbox && !changes.inserted.contains(key) && !changes.deleted.contains(key)
        }
        // A deleted object's links are deleted with it. Links to it are changes of the objects at the other end.
        var removals: [LinkChange] = []
        for rows in request.deletes {
            removals += try writer.removals(ofLinksTo: Array(rows.keys), of: rows.entity)
        }
        var effects: [LinkEffect] = []
        for change in request.links.merging(removals) {
            effects.append(try writer.apply(change, needsBefore: needsBefore))
        }
        for rows in request.deletes where !rows.keys.isEmpty {
            let gone = rows.keys.filter { !changes.inserted.contains($0) }
            try writer.removeOwned(by: Array(gone), of: rows.entity)
        }
        return effects
    }

    /// - Parameter withheld: The changed objects whose changes are not sent.
    private func writeOutbox(
        _ request: SaveChangesRequest, _ changes: SaveChanges, _ effects: [LinkEffect], _ number: Int64,
        _ owned: OwnedLinks, withheld: Set<ObjectKey>
    ) throws {
        var writer = try OutboxWriter(connection, transaction: number, isHeld: request.isHeld)
        for rows in request.deletes { try writer.deleted(rows, links: owned) }
        for rows in request.inserts { try writer.inserted(rows) }
        var fields = LinkEffect.fields(of: effects, except: withheld)
        for update in request.updates {
            try writer.updated(update, links: &fields[update.rows.entity, default: [:]], except: withheld)
        }
        // The request decides here, not the writer's model, so that no change is left out.
        for (entity, links) in fields.sorted(by: { $0.key.index < $1.key.index }) {
            try writer.linked(entity, links, inserted: changes.inserted)
        }
    }
}

extension LinkEffect {
    /// The changed links as fields of the outbox, by entity and owner.
    fileprivate static func fields(
        of effects: [LinkEffect], except withheld: Set<ObjectKey>
    ) -> [ResolvedEntity: [ObjectKey: [OutboxWriter.Field]]] {
        var fields: [ResolvedEntity: [ObjectKey: [OutboxWriter.Field]]] = [:]
        for effect in effects {
            for owner in effect.owners where !withheld.contains(owner) {
                let field = (effect.property.name, OutboxEntry.Base.links(effect.before[owner] ?? []))
                fields[effect.entity, default: [:]][owner, default: []].append(field)
            }
        }
        return fields
    }
}

extension [LinkChange] {
    /// Merges two lists: one change for each relationship, with the removals of both.
    fileprivate func merging(_ removals: [LinkChange]) -> [LinkChange] {
        var changes = self
        for removal in removals {
            let index = changes.firstIndex {
                $0.entity.name == removal.entity.name && $0.property.slot == removal.property.slot
            }
            if let index { changes[index].removed += removal.removed } else { changes.append(removal) }
        }
        return changes
    }
}
