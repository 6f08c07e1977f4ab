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
    /// The identifiers of the stores that new rows go to, where somebody has chosen. Seen by those who have several to
    /// choose from.
    var assignments: [ObjectKey: UUID] = [:]
    /// The names of the zones that new rows go to, where somebody has chosen; empty for the store's main zone. Others
    /// go to the zone of their parents (``EntityDescription/parent(_:)``). Only synced stores have zones.
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
