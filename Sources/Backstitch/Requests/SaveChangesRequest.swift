import Foundation

/// All changes of one save, written in one transaction or not at all.
public struct SaveChangesRequest: Sendable {
    /// New rows, one batch for each entity. Their versions are 1.
    public var inserts: [RowBatch] = []
    /// Changed rows, one update for each entity.
    public var updates: [RowUpdate] = []
    /// Rows to delete, one batch for each entity: as they were read, with their versions at that time.
    public var deletes: [RowBatch] = []
    /// Changed links of many-to-many relationships, one change for each relationship, from the owning side.
    public var links: [LinkChange] = []
    /// The bytes of the rows' external attributes that the store may not have yet.
    public var assets: AssetContents = [:]
    /// The author of the save, for history.
    public var author: String?
    /// The context's name, for history.
    public var contextName: String?
    /// Whether a synced store keeps the changes on this device, depending on author and context; see ``OutboxEntry``.
    public var isHeld = false
    /// Whether the program chose keys of new rows. A chosen key may already belong to an object of another entity; a
    /// store refuses that. Keys of ``ObjectIDGenerator`` are unique, as long as no program chooses one of them.
    public var givesKeys = false
    /// The identifiers of the stores for new rows, if the program has assigned them. Only a layer over several stores
    /// reads it.
    var assignments: [ObjectKey: UUID] = [:]
    /// The names of the zones for new rows, if the program has assigned them; empty for the store's main zone. Other
    /// rows get the zone of their parents (``EntityDescription/parent(_:)``). Only synced stores have zones; others
    /// refuse the request (``requireNoZones()``).
    public var zones: [ObjectKey: String] = [:]

    /// Makes an empty request.
    public init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }

    /// Whether the written rows may refer to bytes outside of them.
    package var namesAssets: Bool {
        inserts.contains { $0.entity.hasExternalColumns } || updates.contains { $0.rows.entity.hasExternalColumns }
    }

    /// Whether there is nothing to write.
    public var isEmpty: Bool { inserts.isEmpty && updates.isEmpty && deletes.isEmpty && links.isEmpty }

    /// Throws if a row is assigned to a zone other than the main one. A store without zones calls it before it writes,
    /// so that no object is saved in a wrong place.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each object assigned to a zone.
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
                        "\(id) is assigned to the zone \"\(zone)\", but the store has no zones: only a synced "
                            + "store has them",
                        objectID: id))
            }
        }
        guard !faults.isEmpty else { return }
        throw BackstitchError.combining(
            faults, code: .invalidRequest, summary: "\(faults.count) objects are assigned to zones:")
    }
}
