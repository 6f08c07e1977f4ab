import BackstitchSupport
import Foundation

extension ManagedObjectContext {
    /// Assigns a new object to a store of the coordinator. It is saved there, instead of into the first store that
    /// holds its entity.
    ///
    /// ```swift
    /// context.assign(note, to: container.coordinator.stores[1])
    /// ```
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the object was saved already (objects do not move between
    ///   stores) or belongs to another context. It is also thrown when the store does not belong to the coordinator, or
    ///   does not hold the entity.
    public func assign(_ object: ManagedObject, to store: any PersistentStore) throws {
        guard object.isNew, object.managedObjectContext === self else {
            throw BackstitchError(
                .invalidRequest,
                "\(object.objectID) is not a new object of this context, and stays in its store",
                objectID: object.objectID)
        }
        let member = coordinator.content.withLock { content in content.members.first { $0.store === store } }
        guard let member, member.holds(object.entity) else {
            throw BackstitchError(
                .invalidRequest,
                member == nil
                    ? "\(object.objectID) cannot be assigned to a store that does not belong to the coordinator"
                    : "the store \(member?.name ?? "") does not hold \(object.entity.name); see its configuration",
                objectID: object.objectID)
        }
        unsaved.assign(object, to: store.identifier)
    }

    /// Assigns a new object to the named zone of its synced store. It is saved there, regardless of its parent's zone;
    /// nil names the main zone.
    ///
    /// ```swift
    /// try await container.requireSync().zones.create(named: "Club")
    /// try context.assign(list, toZone: "Club")
    /// ```
    /// New objects without an assigned zone go to the zone of their parent (``EntityDescription/parent(_:)``), else to
    /// the main zone. The save throws ``BackstitchError/Code/invalidRequest`` when the store has no such zone, and
    /// ``BackstitchError/Code/crossZoneRelationship`` for a link from one zone to another.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the object was saved already, and so is in a zone, or
    ///   belongs to another context.
    public func assign(_ object: ManagedObject, toZone name: String?) throws {
        guard object.isNew, object.managedObjectContext === self else {
            throw BackstitchError(
                .invalidRequest,
                "\(object.objectID) is not a new object of this context, and stays in its zone",
                objectID: object.objectID)
        }
        unsaved.assign(object, toZone: name ?? "")
    }

    /// Whether a new object will be saved into one of a request's stores.
    func willStore(_ object: ManagedObject, for request: StoreFetchRequest) -> Bool {
        guard let asked = request.affectedStores else { return true }
        let front = coordinator.store
        guard let union = front as? UnionStore else { return asked.contains(front.identifier) }
        // If no store takes the object, the save reports it.
        let member = try? union.member(ofNew: object.entity, assigned: unsaved.assignments[object.key])
        return member.map { asked.contains($0.store.identifier) } ?? false
    }

    /// Returns the saved objects that are in one of a request's stores.
    func stored(_ objects: [ManagedObject], for request: StoreFetchRequest) throws -> [ManagedObject] {
        guard let asked = request.affectedStores, !objects.isEmpty else { return objects }
        let ids = objects.map { Value.object($0.objectID) }
        let isOne = FetchPredicate.comparison(.init(.keyPath(FetchKeyPath(names: [])), .in, .values(ids)))
        var those = StoreFetchRequest(
            entity: request.entity, predicate: try isOne.resolved(for: request.entity, in: model))
        those.affectedStores = asked
        let keys = Set(try reading().fetchKeys(those))
        return objects.filter { keys.contains($0.key) }
    }

    /// Hands a plan to the store or parent below. If one of several stores fails, changes that were written to the
    /// stores before it are no longer unsaved.
    func save(_ plan: SavePlan) throws {
        do { try source.save(plan, from: self) } catch let partial as PartialSave {
            hasWritten = true
            commit(plan, only: partial.saved)
            throw partial.error
        }
    }

    private func unsavedObject(_ key: ObjectKey) -> ManagedObject? {
        if let object = registeredObject(key), unsaved.isListed(object) { return object }
        return unsaved.deleted[key]
    }

    private func commit(_ plan: SavePlan, only saved: Set<ObjectKey>) {
        let objects = saved.compactMap { unsavedObject($0) }
        for row in plan.written where saved.contains(row.object.key) {
            row.object.transients?.commit()
            row.object.snapshot = row.snapshot
            row.object.edits = nil
            row.object.isNew = false
            row.object.state = .persistent
        }
        for key in saved {
            if let object = unsaved.deleted[key] { vanish(object) }
            if let object = registeredObject(key) { unsaved.unlist(object) }
        }
        unsaved.forgetAssignments(ofSaved: saved)
        unsaved.forgetLinks(ofSaved: saved)
        for object in objects { object.didSave() }
    }
}
