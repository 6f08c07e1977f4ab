extension ManagedObject {
    /// Returns the value of an attribute, or the identity of the object that a to-one relationship leads to.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such property, or it is to-many;
    ///   ``BackstitchError/Code/objectNotFound`` when the object is gone; errors of the store while a fault fires.
    public final func value(forKey key: String) throws -> Value {
        let property = try entity.requireProperty(named: key)
        guard property.relationship == nil || property.relationship?.isToMany == false else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(key) is to-many; use objects(forKey:)", objectID: objectID, key: key)
        }
        guard state != .vanished else { throw goneError(reading: key) }
        return try visibleValue(of: property)
    }

    /// Sets an attribute to a value of its type.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such attribute;
    ///   ``BackstitchError/Code/invalidValue`` when the value does not fit it; ``BackstitchError/Code/objectNotFound``
    ///   when the object is gone. The object then stays as it was.
    public final func setValue(_ value: Value, forKey key: String) throws {
        let property = try entity.requireProperty(named: key)
        if let kind = property.plainKind, value.isPlain(kind) { return try set(value, attribute: property) }
        guard let attribute = property.attribute else {
            throw BackstitchError(
                .invalidRequest,
                "\(entity.name).\(key) is \(property.words), which a value cannot be given to; set it to objects",
                objectID: objectID,
                key: key)
        }
        if attribute.derivation != nil { throw entity.derivedError(property, objectID) }
        try set(acceptedValue(value, by: attribute), attribute: property)
    }

    /// Returns a value in the form that an attribute keeps.
    final func acceptedValue(_ value: Value, by attribute: AttributeDescription) throws -> Value {
        do { return try attribute.accept(value) } catch {
            throw BackstitchError(
                error.code, "\(objectID) stays as it is: \(entity.name).\(error.message)", objectID: objectID,
                key: attribute.name)
        }
    }

    /// The values that differ from the saved ones, by key. For a new object these are all attributes, all to-one
    /// relationships that are columns of its row, and each other relationship that leads somewhere.
    ///
    /// ```swift
    /// note.changedValues["title"]?.value      // .string("Buy thread")
    /// note.changedValues["tags"]?.objects     // the identities of all its tags now
    /// ```
    /// - Complexity: O(changed properties, members of changed to-many relationships). The members are loaded.
    public final var changedValues: [String: ChangedValue] {
        var values: [String: ChangedValue] = [:]
        for slot in edits?.changed.slots ?? [] where entity.owns(slot) {
            values[entity.properties[slot].name] = edits?[slot].map(ChangedValue.value)
        }
        for (slot, value) in transients?.changes ?? [:] { values[entity.properties[slot].name] = .value(value) }
        for property in context.unsaved.links.changedProperties(of: self) {
            values[property.name] = context.reporting(nil, reading: self) { try changedLinks(of: property) }
        }
        return values
    }

    private func changedLinks(of property: ResolvedProperty) throws -> ChangedValue {
        let objects = try destinations(of: property).map(\.objectID)
        return property.relationship?.isToMany == true
            ? .objects(Set(objects)) : .value(objects.first.map(Value.object) ?? .null)
    }

    /// Returns the values as they were last read or saved, by key; empty for a new object.
    public final func committedValues() throws -> [String: Value] {
        guard let snapshot = try loadedSnapshot() else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: entity.ownColumns.map {
                ($0.name, snapshot.batch.value(snapshot.row, $0.slot))
            })
    }

    /// Returns the value of a transformable attribute, decoded by its transformer; nil if it has none, or one of
    /// another type.
    public final func transformed<T: Sendable>(_ key: String, as type: T.Type = T.self) throws -> T? {
        guard case .data(let data) = try value(forKey: key) else { return nil }
        return try transformer(for: key).decode(data) as? T
    }

    /// Sets a transformable attribute, encoded by its transformer; nil clears it.
    public final func setTransformed(_ value: (any Sendable)?, forKey key: String) throws {
        let encoded = try value.map { try Value.data(transformer(for: key).encode($0)) }
        try setValue(encoded ?? .null, forKey: key)
    }

    private func transformer(for key: String) throws -> ValueTransformer {
        let property = try entity.requireProperty(named: key)
        guard case .transformable(let name)? = property.attribute?.type,
            let transformer = context.model.transformer(named: name)
        else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(key) is not a transformable attribute", objectID: objectID, key: key)
        }
        return transformer
    }
}

extension ManagedObject {
    /// The value of an attribute; nil when it has none.
    ///
    /// A wrong value that is set here is reported with the file and line.
    @inlinable
    public final subscript<T: AttributeValue>(key: String, file: String = #fileID, line: Int = #line) -> T? {
        get {
            let cell = storedCell(key)
            if cell.state == .null { return nil }
            if cell.state == .value, let value = T.read(cell) { return value }
            return readValue(key, file, line)
        }
        set {
            if let value = newValue {
                if let bits = value.numberBits, write(bits, T.numberKind, key) { return }
                write(value.attributeValue, key, file, line)
            } else {
                write(.null, key, file, line)
            }
        }
    }

    /// The value of an attribute; ``AttributeValue/missing`` when it has none.
    @inlinable
    public final subscript<T: AttributeValue>(key: String, file: String = #fileID, line: Int = #line) -> T {
        get {
            let cell = storedCell(key)
            if cell.state == .null { return T.missing }
            if cell.state == .value, let value = T.read(cell) { return value }
            return readValue(key, file, line) ?? T.missing
        }
        set {
            if let bits = newValue.numberBits, write(bits, T.numberKind, key) { return }
            write(newValue.attributeValue, key, file, line)
        }
    }

    /// Reads an attribute if its cell alone is not enough: a fault, a changed or computed value, or a value of another
    /// type.
    @usableFromInline
    final func readValue<T: AttributeValue>(_ key: String, _ file: String, _ line: Int) -> T? {
        guard let property = entity.property(named: key), property.attribute != nil else {
            return context.reporting(nil, reading: self, at: (file, line)) {
                _ = try entity.requireProperty(named: key); throw notAnAttribute(key)
            }
        }
        return context.reporting(nil, reading: self, at: (file, line)) {
            guard state != .vanished else { return nil }
            let stored = try value(of: property)
            if T.self == Asset.self { return Asset(stored, in: context.coordinator.store.assets) as? T }
            let value = try resolvingAsset(stored, key)
            if value.isNull { return nil }
            if let typed = T(value) { return typed }
            let error = BackstitchError(
                .invalidValue, "\(entity.name).\(key) holds \(value.summary), which is not a \(T.self)",
                objectID: objectID, key: key)
            // A case of a later version, or a number out of range, is no mistake of the program, and nothing is lost.
            guard (try? property.attribute?.accept(T.missing.attributeValue)) != nil else { throw error }
            UnknownValues.tell(error, of: entity, key, context.logger)
            return nil
        }
    }

    /// Returns the bytes of an external attribute. Missing bytes read as no value if the store may have them elsewhere;
    /// else it throws.
    private func resolvingAsset(_ value: Value, _ key: String) throws -> Value {
        switch value {
        case .asset(let reference):
            if let data = try context.coordinator.store.assets.read(reference) { return .data(data) }
            guard context.coordinator.hasAssetsElsewhere(of: entity) else { throw lostError(reference, key) }
            return .null
        case .file(let file): return .data(try file.data())
        default: return value
        }
    }

    private func lostError(_ reference: AssetReference, _ key: String) -> BackstitchError {
        BackstitchError(
            .asset,
            "\(objectID) has \(Value.asset(reference).summary) as its \(key), and the store does not have those bytes any more; "
                + "restore the store's folder of assets from a backup, or set the property anew",
            objectID: objectID, key: key)
    }

    private func notAnAttribute(_ key: String) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "\(entity.name).\(key) is a relationship; its property must be an object or a set of objects",
            objectID: objectID, key: key)
    }
}

extension ManagedObject {
    /// Returns a column's value with unsaved changes. A fault fires first. The values of a vanished object are all
    /// null.
    final func value(ofColumn column: Int) throws -> Value {
        if hasUnwrittenOrders { try writeOrders() }
        if let value = edits?[column] { return value }
        guard let snapshot = try loadedSnapshot() else { return .null }
        return snapshot.batch.value(snapshot.row, column)
    }

    /// Returns the value of an attribute, or of a to-one relationship that is a column. A fault fires first even for a
    /// transient value, because its hook may set the value.
    final func value(of property: ResolvedProperty) throws -> Value {
        guard property.isTransient else { return try value(ofColumn: property.slot) }
        if isFault, context.hooked !== self { _ = try loadedSnapshot() }
        return transientValue(of: property)
    }

    /// Returns the value of an attribute, or of a to-one relationship; null if it leads to a deleted object that is
    /// hidden.
    final func visibleValue(of property: ResolvedProperty) throws -> Value {
        guard property.attribute == nil else { return try value(of: property) }
        guard property.slot < entity.columnCount else {
            return try destinations(of: property).first.map { .object($0.objectID) } ?? .null
        }
        let value = try value(ofColumn: property.slot)
        if case .object(let id) = value, context.unsaved.hides(id.key) { return .null }
        return value
    }

    /// A column's value as far as it is loaded.
    final func currentValue(ofColumn column: Int) -> Value {
        edits?[column] ?? snapshot.map { $0.batch.value($0.row, column) } ?? .null
    }

    /// Returns the row, read from the store if the object is a fault; nil when the object is new or gone.
    final func loadedSnapshot() throws -> RowSnapshot? {
        if let snapshot { return snapshot }
        guard !isNew, state != .vanished else { return nil }
        try context.fire(self)
        return snapshot
    }

    final func requireWritable(_ key: String) throws {
        try context.requireOpen()
        guard state != .vanished else { throw goneError(reading: key) }
        if state == .persistent, try loadedSnapshot() == nil { throw goneError(reading: key) }
    }

    final func goneError(reading key: String) -> BackstitchError {
        BackstitchError(
            .objectNotFound,
            "\(objectID) is not in the store any more, or its context was reset, so its \(key) cannot be used; fetch the object "
                + "anew", objectID: objectID, key: key)
    }
}
