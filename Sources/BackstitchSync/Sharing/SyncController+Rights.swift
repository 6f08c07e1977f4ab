public import Backstitch

// The rights of the user, known before they are needed. A save without the right throws
// ``BackstitchError/Code/permissionDenied``.
extension SyncController {
    /// Whether the user may change an object of the store; false for one that the store does not have. In a store of
    /// the private database everything may be changed.
    public func canUpdate(_ id: ObjectID) async throws -> Bool {
        guard let zone = try await zoneNames(of: [id])[id] else { return false }
        return try await mayWrite(in: zone)
    }

    /// Whether the user may delete an object of the store; as ``canUpdate(_:)``.
    public func canDelete(_ id: ObjectID) async throws -> Bool { try await canUpdate(id) }

    /// Whether the user may save new objects in a zone of the store; false for one that the store does not have.
    ///
    /// - Parameter name: The zone's name; empty for the main one, which a store of the shared database does not have.
    public func canInsert(intoZoneNamed name: String) async throws -> Bool { try await mayWrite(in: name) }

    private func mayWrite(in name: String) async throws -> Bool {
        guard !services.client.options.isReadOnly else { return false }
        return try await services.onWholeStore { store in
            try store.readJournal { journal in
                guard let zone = name.isEmpty ? 0 : try journal.zones().first(where: { $0.value == name })?.key else {
                    return false
                }
                return try !journal.readOnlyZones().contains(zone)
            }
        }
    }
}
