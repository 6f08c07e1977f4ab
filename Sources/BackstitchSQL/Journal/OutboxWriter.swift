import Backstitch
import Foundation

/// Updates the outbox with the changes of a save.
struct OutboxWriter {
    private let table: OutboxTable
    private let coalescing: OutboxCoalescing
    private var reinserted: Set<ObjectKey> = []

    /// A changed property: its name, and its value before the save.
    typealias Field = (name: String, base: OutboxEntry.Base)

    /// Creates a writer for one save.
    ///
    /// - Parameter isHeld: Whether the save stays on this device.
    init(_ connection: any SQLConnection, transaction: Int64, isHeld: Bool) throws {
        table = OutboxTable(connection)
        let attempted = try MetadataTable(connection).value(for: OutboxEntry.attemptedKey)
        coalescing = OutboxCoalescing(
            transaction: transaction, attempted: attempted.map(Self.number) ?? 0, isHeld: isHeld)
    }

    /// Notes deleted rows. Call it before ``inserted(_:)``, because a save may delete an object and insert it again.
    ///
    /// - Parameter links: The links that the rows owned.
    mutating func deleted(_ rows: RowBatch, links: OwnedLinks) throws {
        let existing = try table.entries(for: Array(rows.keys))
        let columns = rows.entity.ownColumns
        let changes = rows.keys.indices.map { row in
            let values = columns.map { ($0.name, OutboxEntry.Base.value(rows.value(row, $0.slot))) }
            let content = values + links.content(of: rows.keys[row], rows.entity)
            return (rows.objectID(at: row), OutboxCoalescing.Change.deleted(content))
        }
        try write(changes, existing)
    }

    /// Notes new rows, and finds the entries of objects that were deleted before.
    mutating func inserted(_ rows: RowBatch) throws {
        let known = try table.insert(
            Array(rows.keys), of: rows.entity, transaction: coalescing.transaction, isHeld: coalescing.isHeld)
        guard !known.isEmpty else { return }
        reinserted.formUnion(known)
        let columns = rows.entity.ownColumns.map(\.name)
        let existing = try table.entries(for: known)
        try refuseKeys(of: rows.entity, existing)
        try write(
            known.map { (ObjectID(entityName: rows.entity.name, key: $0), .inserted(columns: columns)) }, existing)
    }

    /// Refuses keys of other entities. A record keeps its type. Until the server knows of a deletion, the deleted
    /// object's key is not free for an object of another entity.
    private func refuseKeys(of entity: ResolvedEntity, _ existing: [ObjectKey: OutboxEntry]) throws {
        let faults = existing.values.map(\.objectID).filter { $0.entityName != entity.name }.sorted().map { other in
            BackstitchError.takenKey(ObjectID(entityName: entity.name, key: other.key), by: other)
        }
        if !faults.isEmpty { throw BackstitchError.takenKeys(faults) }
    }

    /// Notes changed rows. The link changes of the same objects are taken out of `links`.
    ///
    /// - Parameter withheld: The rows whose changes are not sent.
    mutating func updated(
        _ update: RowUpdate, links: inout [ObjectKey: [Field]], except withheld: Set<ObjectKey>
    ) throws {
        let rows = update.rows
        let existing = try table.entries(for: Array(rows.keys))
        let sent = rows.keys.indices.filter { withheld.isEmpty || !withheld.contains(rows.keys[$0]) }
        let changes = sent.map { row in
            let fields = update.changed[row].slots.filter { $0 < rows.entity.columnCount }.map { column in
                (rows.entity.properties[column].name, OutboxEntry.Base.value(update.originals.value(row, column)))
            }
            let linked = links.isEmpty ? nil : links.removeValue(forKey: rows.keys[row])
            return (rows.objectID(at: row), OutboxCoalescing.Change.updated(fields + (linked ?? [])))
        }
        try write(changes, existing)
    }

    /// Notes objects with changed links only. Links of objects that the same save inserts are part of their insert.
    mutating func linked(_ entity: ResolvedEntity, _ links: [ObjectKey: [Field]], inserted: Set<ObjectKey>) throws {
        let keys = links.keys.filter { !inserted.contains($0) || reinserted.contains($0) }.sorted()
        guard !keys.isEmpty else { return }
        let existing = try table.entries(for: keys)
        try write(
            keys.map { (ObjectID(entityName: entity.name, key: $0), .updated(links[$0] ?? [])) }, existing)
    }

    /// Writes or removes the entry of each changed object.
    private func write(
        _ changes: [(ObjectID, OutboxCoalescing.Change)], _ existing: [ObjectKey: OutboxEntry]
    ) throws {
        var entries: [OutboxEntry] = [], gone: [ObjectKey] = []
        for (id, change) in changes {
            if let entry = coalescing.entry(of: id, after: change, existing: existing[id.key]) {
                entries.append(entry)
            } else {
                gone.append(id.key)
            }
        }
        try table.put(entries)
        try table.remove(gone)
    }

    /// Reads an `Int64` from 8 bytes, little-endian.
    private static func number(_ bytes: Data) -> Int64 {
        Int64(bitPattern: bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
