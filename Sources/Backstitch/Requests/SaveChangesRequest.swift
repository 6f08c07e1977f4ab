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
