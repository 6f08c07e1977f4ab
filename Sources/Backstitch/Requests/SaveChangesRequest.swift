import Foundation

/// Everything that one save writes, in one transaction or not at all.
public struct SaveChangesRequest: Sendable {
    /// New rows, a batch an entity. Their versions are 1.
    public var inserts: [RowBatch] = []
    /// Changed rows, one an entity.
    public var updates: [RowUpdate] = []
    /// Rows to delete, a batch an entity: as they were read, with the version they were read at.
    public var deletes: [RowBatch] = []
    /// Changed links of many-to-many relationships, one a relationship, as the owning side sees them.
    public var links: [LinkChange] = []
    /// The bytes of external attributes that rows name and the store may not have yet.
    public var assets: AssetContents = [:]
    /// The author of the save, for history.
    public var author: String?
    /// The context's name, for history.
    public var contextName: String?
    /// Whether a synced store keeps the changes on this device, as it decides by author and context; see
    /// ``OutboxEntry``.
    public var isHeld = false
    /// Whether the program has chosen keys of new rows. Such a key may be that of an object of another entity, which a
    /// store refuses; keys that ``ObjectIDGenerator`` makes are nobody else's, as long as nobody chooses one of them.
    public var givesKeys = false
    /// The identifiers of the stores that new rows go to, where somebody has chosen. Seen by those who have several to
    /// choose from.
    var assignments: [ObjectKey: UUID] = [:]
    /// The names of the zones that new rows go to, where somebody has chosen; empty for the store's main zone. Others
    /// go to the zone of their parents (``EntityDescription/parent(_:)``). Only synced stores have zones; others refuse
    /// the request (``requireNoZones()``).
    public var zones: [ObjectKey: String] = [:]

    /// An empty request.
    public init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }

    /// Whether rows that it writes may name bytes outside them.
    package var namesAssets: Bool {
        inserts.contains { $0.entity.hasExternalColumns } || updates.contains { $0.rows.entity.hasExternalColumns }
    }

    /// Whether there is nothing to write.
    public var isEmpty: Bool { inserts.isEmpty && updates.isEmpty && deletes.isEmpty && links.isEmpty }

    /// Returns when no row asks for a zone but the main one. A store without zones calls it before it writes, so that
    /// no object ends where its program did not put it.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each object that is assigned to a zone.
    public func requireNoZones() throws {
        if zones.isEmpty { return }
        var faults: [BackstitchError] = []
        for rows in inserts {
            for (row, key) in rows.keys.enumerated() {
                guard let zone = zones[key], !zone.isEmpty else { continue }
                let id = rows.objectID(at: row)
                faults.append(
                    BackstitchError(
                        .invalidRequest,
                        "\(id) is assigned to the zone \"\(zone)\", and the store has no zones: only a synced one has",
                        objectID: id))
            }
        }
        guard !faults.isEmpty else { return }
        throw BackstitchError.combining(
            faults, code: .invalidRequest, summary: "\(faults.count) objects are assigned to zones:")
    }
}

/// Changed rows of one entity. The three lists run in step.
public struct RowUpdate: Sendable {
    /// The rows as they shall be. `versions` are those at which they were read; the store writes them plus one, and
    /// only where the stored version is still the same.
    public let rows: RowBatch
    /// The rows as they were read.
    public let originals: RowBatch
    /// The columns that differ.
    public let changed: [PropertySet]

    /// An update from `originals` to `rows`.
    public init(rows: RowBatch, originals: RowBatch, changed: [PropertySet]) {
        self.rows = rows
        self.originals = originals
        self.changed = changed
    }
}

/// Added and removed links of one many-to-many relationship.
public struct LinkChange: Sendable {
    /// A link from an object of the owning entity to one of the destination.
    public struct Link: Hashable, Sendable {
        /// The object at the owning side.
        public let source: ObjectKey
        /// The object at the other side.
        public let target: ObjectKey

        /// A link from `source` to `target`.
        public init(source: ObjectKey, target: ObjectKey) {
            self.source = source
            self.target = target
        }
    }

    /// The entity that owns the relationship.
    public let entity: ResolvedEntity
    /// The relationship, stored as ``ResolvedRelationship/Storage/ownedLinks``.
    public let property: ResolvedProperty
    /// Links to make. One that is there already is no error.
    public var added: [Link]
    /// Links to take away. One that is not there is no error.
    public var removed: [Link]

    /// A change of the links of `property`.
    public init(entity: ResolvedEntity, property: ResolvedProperty, added: [Link] = [], removed: [Link] = []) {
        self.entity = entity
        self.property = property
        self.added = added
        self.removed = removed
    }
}

/// A store's account of a save that it made.
public struct SaveResult: Sendable {
    /// The number of the save's history transaction: rises with each.
    public let transactionNumber: Int64

    /// The result of the save that made history transaction `transactionNumber`.
    public init(transactionNumber: Int64) { self.transactionNumber = transactionNumber }
}
