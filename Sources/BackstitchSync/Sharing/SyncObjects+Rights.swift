public import Backstitch
import CloudWire

// The rights of the user, known before they are needed. A save without the right throws
// ``BackstitchError/Code/permissionDenied``.
extension SyncObjects {
    /// Whether the user may change an object of the store; false for an object outside the store. In a store of the
    /// private database everything may be changed. If single objects are shared, the best right from the object and the
    /// objects above it decides.
    public func canUpdate(_ id: ObjectID) async throws -> Bool { try await rights(to: id).mayWrite }

    /// Whether the user may delete an object of the store: as ``canUpdate(_:)``, except for an object that another user
    /// shares by itself. Only its owner deletes such an object.
    public func canDelete(_ id: ObjectID) async throws -> Bool {
        let rights = try await rights(to: id)
        return rights.mayWrite && !rights.isRoot
    }

    /// Whether the user may save new objects without a parent in a zone of the store. False for a zone outside the
    /// store, and for a zone with single shared objects of another user: see ``canInsert(_:into:)``.
    ///
    /// - Parameter name: The zone's name; empty for the main zone. A store of the shared database has no main zone.
    public func canInsert(intoZoneNamed name: String) async throws -> Bool {
        guard !services.client.options.isReadOnly else { return false }
        return try await services.onWholeStore { store in
            try store.readJournal { journal in
                guard let zone = name.isEmpty ? 0 : try journal.zones().first(where: { $0.value == name })?.key else {
                    return false
                }
                return try journal.mayWriteAll(inZone: zone)
            }
        }
    }

    /// Whether the user may save new objects of an entity below an object of the store, by the entity's parent
    /// relationship (``Backstitch/EntityDescription/parent(_:)``). False if the entity has no such relationship to the
    /// object's entity, and for a parent outside the store.
    ///
    /// ```swift
    /// addButton.isEnabled = try await sync.objects.canInsert("Item", into: list.objectID)
    /// ```
    public func canInsert(_ entityName: String, into parent: ObjectID) async throws -> Bool {
        let model = services.settings.model.model
        guard let entity = services.settings.model.entity(named: entityName)?.entity,
            let column = entity.parentColumn, let above = model.entity(named: parent.entityName),
            let destination = model.entity(named: column.destinationName), above.isKind(of: destination)
        else { return false }
        return try await canUpdate(parent)
    }

    private func rights(to id: ObjectID) async throws -> (mayWrite: Bool, isRoot: Bool) {
        guard !services.client.options.isReadOnly, let place = try await sync.zones.names(of: [id])[id] else {
            return (false, false)
        }
        return try await services.onWholeStore { [model = services.settings.model] store in
            try store.readJournal { journal in
                let zone = place.isEmpty ? 0 : try journal.zones().first { $0.value == place }?.key
                guard let zone, try !journal.readOnlyZones().contains(zone) else { return (false, false) }
                guard let roots = try journal.sharedRoots()[zone] else { return (true, false) }
                var chain = journal.parentChain(model)
                try chain.climb(from: [id])
                return (roots.mayWrite(below: chain.keys(above: id.key)), roots.rights[id.key] != nil)
            }
        }
    }
}
