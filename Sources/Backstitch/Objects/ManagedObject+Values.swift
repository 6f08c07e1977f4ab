extension ManagedObject {
    /// A property's value: an attribute's, or the identity that a to-one relationship points to.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such property, or it is to-many;
    ///   ``BackstitchError/Code/objectNotFound`` when the object is gone; what the store throws while a fault fires.
    public final func value(forKey key: String) throws -> Value {
        let property = try entity.requireProperty(named: key)
        guard property.relationship == nil || property.relationship?.isToMany == false else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(key) is to-many; use objects(forKey:)", objectID: objectID, key: key)
        }
        guard state != .vanished else { throw goneError(reading: key) }
        if property.attribute != nil || property.slot < entity.columnCount { return try value(of: property) }
        return try destinations(of: property).first.map { .object($0.objectID) } ?? .null
    }

    /// Sets an attribute.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such attribute;
    ///   ``BackstitchError/Code/invalidValue`` when the value does not fit it; ``BackstitchError/Code/objectNotFound`` when the
    ///   object is gone. The object then stays as it was.
    public final func setValue(_ value: Value, forKey key: String) throws {
        let property = try entity.requireProperty(named: key)
        if let kind = property.plainKind, value.isPlain(kind) { return try set(value, attribute: property) }
        guard let attribute = property.attribute else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(key) is a relationship; set it to objects", objectID: objectID,
                key: key)
        }
        if attribute.derivation != nil { throw entity.derivedError(property, objectID) }
        try set(attribute.accept(value), attribute: property)
    }

    /// The values that differ from the saved ones, by key; all values of a new object.
    public final var changedValues: [String: Value] {
        var values: [String: Value] = [:]
        for slot in edits?.changed.slots ?? [] where entity.owns(slot) {
            values[entity.properties[slot].name] = edits?[slot]
        }
        for (slot, value) in transients?.changes ?? [:] { values[entity.properties[slot].name] = value }
        return values
    }

    /// The values as they were last read or saved, by key; empty for a new object.
    public final func committedValues() throws -> [String: Value] {
        guard let snapshot = try loadedSnapshot() else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: entity.columns.filter { entity.owns($0.slot) }.map {
                ($0.name, snapshot.batch.value(snapshot.row, $0.slot))
            })
    }

    /// A transformable attribute's value, decoded by its codec; nil when it has none, or one of another type.
    public final func transformed<T: Sendable>(_ key: String, as type: T.Type = T.self) throws -> T? {
        guard case .data(let data) = try value(forKey: key) else { return nil }
        return try codec(for: key).decode(data) as? T
    }

    /// Sets a transformable attribute, encoded by its codec; nil clears it.
    public final func setTransformed(_ value: (any Sendable)?, forKey key: String) throws {
        let encoded = try value.map { try Value.data(codec(for: key).encode($0)) }
        try setValue(encoded ?? .null, forKey: key)
    }

    private func codec(for key: String) throws -> ValueCodec {
        let property = try entity.requireProperty(named: key)
        guard case .transformable(let name)? = property.attribute?.type, let codec = context.model.codec(named: name)
        else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(key) is no transformable attribute", objectID: objectID, key: key)
        }
        return codec
    }
}

extension ManagedObject {
    /// An attribute; nil when it has no value.
    @inlinable
    public final subscript<T: AttributeValue>(key: String) -> T? {
        get {
            let cell = storedCell(key)
            if cell.state == .null { return nil }
            if cell.state == .value, let value = T.read(cell) { return value }
            return readValue(key)
        }
        set {
            if let value = newValue {
                if let bits = value.numberBits, write(bits, T.numberKind, key) { return }
                write(value.attributeValue, key)
            } else {
                write(.null, key)
            }
        }
    }

    /// An attribute; ``AttributeValue/missing`` when it has no value.
    @inlinable
    public final subscript<T: AttributeValue>(key: String) -> T {
        get {
            let cell = storedCell(key)
            if cell.state == .null { return T.missing }
            if cell.state == .value, let value = T.read(cell) { return value }
            return readValue(key) ?? T.missing
        }
        set {
            if let bits = newValue.numberBits, write(bits, T.numberKind, key) { return }
            write(newValue.attributeValue, key)
        }
    }

    /// Reads what is not simply a cell: a fault, a changed or computed value, one of another type.
    @usableFromInline
    final func readValue<T: AttributeValue>(_ key: String) -> T? {
        guard let property = entity.property(named: key), property.attribute != nil else {
            return context.reporting(nil) {
                _ = try entity.requireProperty(named: key); throw notAnAttribute(key)
            }
        }
        return context.reporting(nil) {
            guard state != .vanished else { return nil }
            let value = try resolvingAsset(value(of: property))
            if value.isNull { return nil }
            guard let typed = T(value) else {
                throw BackstitchError(
                    .invalidValue, "\(entity.name).\(key) holds \(value.summary), which is no \(T.self)",
                    objectID: objectID, key: key)
            }
            return typed
        }
    }

    /// An external attribute reads as its bytes; nil while they are not on this device.
    private func resolvingAsset(_ value: Value) throws -> Value {
        guard case .asset(let reference) = value else { return value }
        return try context.coordinator.store.assets.read(reference).map(Value.data) ?? .null
    }

    private func notAnAttribute(_ key: String) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "\(entity.name).\(key) is a relationship; its property must be an object or a set of objects",
            objectID: objectID, key: key)
    }
}

extension ManagedObject {
    /// A column's value with unsaved changes; fires the fault if it is one. A vanished object's are all null.
    final func value(ofColumn column: Int) throws -> Value {
        if let value = edits?[column] { return value }
        guard let snapshot = try loadedSnapshot() else { return .null }
        return snapshot.batch.value(snapshot.row, column)
    }

    /// The value of an attribute, or of a to-one relationship that is a column.
    final func value(of property: ResolvedProperty) throws -> Value {
        property.isTransient ? transientValue(of: property) : try value(ofColumn: property.slot)
    }

    /// A column's value as far as it is loaded.
    final func currentValue(ofColumn column: Int) -> Value {
        edits?[column] ?? snapshot.map { $0.batch.value($0.row, column) } ?? .null
    }

    /// The row, read from the store if the object is a fault; nil when the object is new or gone.
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
            .objectNotFound, "\(objectID) is not in the store any more, so its \(key) cannot be used",
            objectID: objectID,
            key: key)
    }
}
