public import Backstitch
import CloudWire

// The rights of the user, known before they are needed. A save without the right throws
// ``BackstitchError/Code/permissionDenied``.
extension SyncObjects {
    /// Whether the user may change an object of the store; false for an object outside the store. In a store of the
    /// private database everything may be changed. If single objects are shared, the best right from the object and the
    /// objects above it decides. In the public database the server's roles decide, by the object's entity and creator.
    public func canUpdate(_ id: ObjectID) async throws -> Bool { try await rights(to: id).mayWrite }

    /// Whether the user may delete an object of the store: as ``canUpdate(_:)``, with two exceptions. An object that
    /// another user shares by itself is deleted by its owner only. An object that was never sent to the public database
    /// needs no right.
    public func canDelete(_ id: ObjectID) async throws -> Bool { try await rights(to: id).mayDelete }

    /// Whether the user may save new objects without a parent in a zone of the store. False for a zone outside the
    /// store, and for a zone with single shared objects of another user: see ``canInsert(_:into:)``. In the public
    /// database: whether the user may create objects of some entity; ``canInsert(_:)`` answers for one entity.
    ///
    /// - Parameter name: The zone's name; empty for the main zone. A store of the shared database has no main zone.
    public func canInsert(intoZoneNamed name: String) async throws -> Bool {
        guard !services.client.options.isReadOnly else { return false }
        return try await services.onWholeStore { [model = services.settings.model] store in
            try store.readJournal { journal in
                if name.isEmpty, let rights = try journal.creatorRights() {
                    return model.heldEntities.contains { rights[$0.entity.name].mayCreate }
                }
                guard let zone = name.isEmpty ? 0 : try journal.zones().first(where: { $0.value == name })?.key else {
                    return false
                }
                return try journal.mayWriteAll(inZone: zone)
            }
        }
    }

    /// Whether the user may save new objects of an entity below an object of the store, by the entity's parent
    /// relationship (``Backstitch/EntityDescription/parent(_:)``). False if the entity has no such relationship to the
    /// object's entity, and for a parent outside the store. In the public database the right to create objects of the
    /// entity decides, whoever has created the parent.
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
        guard services.settings.isPublic else { return try await canUpdate(parent) }
        guard try await sync.zones.names(of: [parent])[parent] != nil else { return false }
        return try await canInsert(entityName)
    }

    /// Whether the user may save new objects of an entity in the public database, by the server's roles. In a store of
    /// another database: whether the user may save new objects in the main zone.
    ///
    /// ```swift
    /// publishButton.isEnabled = try await sync.objects.canInsert("Notice")
    /// ```
    public func canInsert(_ entityName: String) async throws -> Bool {
        guard !services.client.options.isReadOnly, services.settings.model.entity(named: entityName) != nil else {
            return false
        }
        let rights = try await services.onWholeStore { try $0.readJournal { try $0.creatorRights() } }
        guard let rights else { return try await canInsert(intoZoneNamed: "") }
        return rights[entityName].mayCreate
    }

    /// The rights to an object.
    private struct ObjectRights {
        var mayWrite: Bool
        var mayDelete: Bool
        static let none = ObjectRights(mayWrite: false, mayDelete: false)
    }

    private func rights(to id: ObjectID) async throws -> ObjectRights {
        guard !services.client.options.isReadOnly, let place = try await sync.zones.names(of: [id])[id] else {
            return .none
        }
        return try await services.onWholeStore { [model = services.settings.model] store in
            try store.readJournal { journal in
                if let rights = try journal.creatorRights() {
                    let record = CreatorRights.Record(
                        creator: try journal.creators(of: [id.key])[id.key],
                        state: try journal.recordStates(for: [id.key])[id.key])
                    return ObjectRights(
                        mayWrite: rights.mayChange(id.entityName, record),
                        mayDelete: rights.mayDelete(id.entityName, record))
                }
                let zone = place.isEmpty ? 0 : try journal.zones().first { $0.value == place }?.key
                guard let zone, try !journal.readOnlyZones().contains(zone) else { return .none }
                guard let roots = try journal.sharedRoots()[zone] else {
                    return ObjectRights(mayWrite: true, mayDelete: true)
                }
                var chain = journal.parentChain(model)
                try chain.climb(from: [id])
                let mayWrite = roots.mayWrite(below: chain.keys(above: id.key))
                return ObjectRights(mayWrite: mayWrite, mayDelete: mayWrite && roots.rights[id.key] == nil)
            }
        }
    }
}
