extension ManagedObjectContext {
    /// Loads relationships of objects along these paths, level by level. Each relationship takes one request to the
    /// store or parent below.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when a name on a path is no relationship.
    func prefetch(_ keyPaths: [String], of objects: [ManagedObject], _ entity: ResolvedEntity) throws {
        if !keyPaths.isEmpty { prefetched = try related(keyPaths, of: objects, entity) }
    }

    /// Loads the same and returns the loaded objects, for a caller that holds them itself.
    func related(
        _ keyPaths: [String], of objects: [ManagedObject], _ entity: ResolvedEntity
    ) throws -> [ManagedObject] {
        let tree = PrefetchTree(keyPaths)
        try tree.check(entity, model)
        var loaded: [ManagedObject] = []
        try prefetch(tree, of: objects, entity, &loaded)
        return loaded
    }

    private func prefetch(
        _ tree: PrefetchTree, of objects: [ManagedObject], _ entity: ResolvedEntity, _ loaded: inout [ManagedObject]
    ) throws {
        guard !objects.isEmpty else { return }
        for (name, rest) in tree.branches {
            let property = try entity.requireProperty(named: name)
            guard let relationship = property.relationship else { continue }
            let destination = model.destination(of: relationship)
            let targets =
                relationship.storage == .column
                ? try loadTargets(property, of: objects, destination)
                : try loadCollections(property, of: objects, destination)
            loaded += targets
            try prefetch(rest, of: targets, destination, &loaded)
        }
    }

    /// Loads the objects at the far end of a to-one column.
    private func loadTargets(
        _ property: ResolvedProperty, of objects: [ManagedObject], _ destination: ResolvedEntity
    ) throws -> [ManagedObject] {
        var keys: Set<ObjectKey> = []
        for object in objects {
            if case .object(let id) = try object.value(ofColumn: property.slot) { keys.insert(id.key) }
        }
        return try load(keys.sorted(), destination)
    }

    /// Loads the members of a relationship that is no column.
    private func loadCollections(
        _ property: ResolvedProperty, of objects: [ManagedObject], _ destination: ResolvedEntity
    ) throws -> [ManagedObject] {
        let sources = objects.filter { !$0.isNew && $0.state != .vanished && $0.collections[property.slot] == nil }
        var loaded: [ManagedObject] = []
        if let rows = try readCollections(property, of: sources) {
            loaded = self.objects(for: rows)
        }
        // In this case the loaded rows are the complete result.
        if sources.count == objects.count, unsaved.links.isEmpty { return loaded.filter { $0.state != .vanished } }
        let keys = objects.reduce(into: Set<ObjectKey>()) { $0.formUnion($1.collections[property.slot]?.keys ?? []) }
        return try withExtendedLifetime(loaded) { try load(keys.sorted(), destination) }
    }

    /// Returns the objects with these keys. Objects that are not loaded are read with one request.
    private func load(_ keys: [ObjectKey], _ entity: ResolvedEntity) throws -> [ManagedObject] {
        var objects: [ManagedObject] = []
        var missing: [ObjectKey] = []
        for key in keys {
            if let object = registeredObject(key), object.entity.isRelative(of: entity), !object.isFault || object.isNew
            {
                if object.state != .vanished { objects.append(object) }
            } else {
                missing.append(key)
            }
        }
        guard !missing.isEmpty else { return objects }
        return objects + (try reading().snapshots(of: entity, keys: missing).map { object(for: $0) })
    }
}

/// Key paths as a tree, so that a common beginning is followed once.
private struct PrefetchTree {
    private(set) var branches: [(name: String, rest: PrefetchTree)] = []

    init(_ keyPaths: [String]) {
        for path in keyPaths {
            insert(path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...])
        }
    }

    private mutating func insert(_ names: ArraySlice<String>) {
        guard let name = names.first else { return }
        let known = branches.firstIndex { $0.name == name }
        let index = known ?? branches.count
        if known == nil { branches.append((name, PrefetchTree([]))) }
        branches[index].rest.insert(names.dropFirst())
    }

    /// Throws unless all names are relationships.
    func check(_ entity: ResolvedEntity, _ model: ResolvedModel) throws {
        for (name, rest) in branches {
            guard let relationship = try entity.requireProperty(named: name).relationship else {
                throw BackstitchError(
                    .invalidRequest, "\(entity.name).\(name) is not a relationship and cannot be prefetched", key: name)
            }
            try rest.check(model.destination(of: relationship), model)
        }
    }
}
