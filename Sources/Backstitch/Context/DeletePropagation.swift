/// Carries out delete rules. It first finds all objects to delete, then refuses the deletion or unlinks the objects.
struct DeletePropagation {
    private let context: ManagedObjectContext
    private let onlyNewcomers: Bool
    private var unlinked: Set<ObjectKey> = []

    /// Takes the rules of all objects to be deleted, or only of the objects that were never saved.
    init(_ context: ManagedObjectContext, onlyNewcomers: Bool = false) {
        self.context = context
        self.onlyNewcomers = onlyNewcomers
    }

    private var roots: [ObjectKey: ManagedObject] {
        onlyNewcomers ? context.unsaved.deleted.newcomers : context.unsaved.deleted.byKey
    }

    /// Carries out the rules of all deletions since the last run.
    ///
    /// - Throws: ``BackstitchError/Code/deleteDenied`` with a fault for each denied object. No relationship has changed
    ///   then.
    mutating func run() throws {
        guard roots.contains(where: { !unlinked.contains($0.key) }) else { return }
        let doomed = try markAll()
        for object in doomed.values.sorted(by: { $0.key < $1.key }) where unlinked.insert(object.key).inserted {
            try unlink(object)
        }
        for object in doomed.values where object.isNew { context.vanish(object) }
        // Objects marked by the rules themselves are settled as well.
        if !onlyNewcomers { _ = context.unsaved.takeUnsettledDeletions() }
    }

    /// Checks the deletion of an object against the deny rules, together with the other unsaved deletions. It marks
    /// nothing.
    ///
    /// - Throws: ``BackstitchError/Code/deleteDenied`` with a fault for each denied object.
    func judge(_ object: ManagedObject) throws {
        let doomed = try cascade(from: [object.key: object])
        try denyIfAnyRemain(doomed, sparing: roots)
    }

    /// Marks all objects to delete. Their `prepareForDeletion` may delete further objects, so the search is repeated
    /// until it finds no more.
    private func markAll() throws -> [ObjectKey: ManagedObject] {
        while true {
            let doomed = try cascade(from: roots)
            try denyIfAnyRemain(doomed)
            for object in doomed.values.sorted(by: { $0.key < $1.key }) { try context.markDeleted(object) }
            if roots.keys.allSatisfy({ doomed[$0] != nil }) { return doomed }
        }
    }

    /// Returns the objects to be deleted and all objects that cascade rules reach from them. Each object is visited
    /// once, so cycles end.
    private func cascade(from roots: [ObjectKey: ManagedObject]) throws -> [ObjectKey: ManagedObject] {
        var doomed = roots
        var wave = Array(doomed.values)
        while !wave.isEmpty {
            var next: [ManagedObject] = []
            for (entity, objects) in Dictionary(grouping: wave, by: \.entity) {
                for property in entity.relationships {
                    try loadCollections(property, of: objects)
                    guard property.relationship?.description.deleteRule == .cascade else { continue }
                    for object in objects {
                        for target in try object.destinations(of: property) where doomed[target.key] == nil {
                            doomed[target.key] = target
                            next.append(target)
                        }
                    }
                }
            }
            wave = next
        }
        return doomed
    }

    private func loadCollections(_ property: ResolvedProperty, of objects: [ManagedObject]) throws {
        guard property.relationship?.storage != .column else { return }
        try context.prefetch(property, of: objects)
    }

    private func denyIfAnyRemain(
        _ doomed: [ObjectKey: ManagedObject], sparing others: [ObjectKey: ManagedObject] = [:]
    ) throws {
        var faults: [BackstitchError] = []
        for object in doomed.values.sorted(by: { $0.key < $1.key }) {
            for property in object.entity.relationships where property.relationship?.description.deleteRule == .deny {
                let remaining = try object.destinations(of: property).filter {
                    doomed[$0.key] == nil && others[$0.key] == nil
                }
                guard let first = remaining.first else { continue }
                faults.append(
                    BackstitchError(
                        .deleteDenied,
                        "\(object.objectID) cannot be deleted while its \(property.name) has "
                            + "\(remaining.count) objects, \(first.objectID) among them", objectID: object.objectID,
                        key: property.name))
            }
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .deleteDenied, summary: "\(faults.count) deletions are denied:")
        }
    }

    /// Removes a deleted object from the relationships of its destinations.
    private func unlink(_ object: ManagedObject) throws {
        for property in object.entity.relationships {
            guard let relationship = property.relationship, relationship.description.deleteRule != .noAction else {
                continue
            }
            let inverse = context.model.inverse(of: relationship)
            switch relationship.storage {
            case .column:
                guard case .object(let id) = try object.value(ofColumn: property.slot) else { continue }
                let end = LinkEnd(id.key, inverse, relationship)
                if try isShown(object, at: end, property) { context.unlink(object.key, from: end) }
            case .inverseColumn:
                for target in try object.destinations(of: property) where target.state != .deleted {
                    try target.link(inverse, to: nil)
                }
            case .ownedLinks, .inverseLinks:
                for target in try object.destinations(of: property) { try object.remove(target, from: property) }
            }
        }
    }

    /// Whether the far end of an object's column still shows the object. Rules may run several times before a save. A
    /// link that is removed twice would come back twice.
    private func isShown(_ object: ManagedObject, at end: LinkEnd, _ property: ResolvedProperty) throws -> Bool {
        if let delta = context.unsaved.links.deltas[end] {
            if delta.added.contains(object.key) { return true }
            if delta.removed.contains(object.key) { return false }
        }
        guard let snapshot = try object.loadedSnapshot(),
            case .object(let stored) = snapshot.batch.value(snapshot.row, property.slot)
        else { return false }
        return stored.key == end.key
    }
}
