// Setting values. The most frequent case has a shorter way: numbers of typed properties.
extension ManagedObject {
    /// Sets a property of numbers without making a ``Value``.
    ///
    /// - Returns: Whether the property was set. If not, ``write(_:_:_:_:)`` sets it, or reports the reason against it.
    @usableFromInline
    final func write(_ bits: UInt64, _ kind: ResolvedProperty.CellKind, _ key: String) -> Bool {
        guard let slot = entity.slot(of: key), entity.plainColumns[slot].takes(bits, kind),
            context.undoManager == nil, !context.isClosed
        else { return false }
        switch state {
        case .inserted:
            guard let edits else { return false }
            edits.set(bits, at: slot)
        case .persistent:
            guard let cells = storedCells else { return false }
            set(bits, kind, at: slot, over: cells)
        case .deleted, .vanished: return false
        }
        context.noteChange(of: self, at: slot)
        return true
    }

    /// Sets an attribute. The context keeps an error.
    @usableFromInline
    final func write(_ value: Value, _ key: String, _ file: String, _ line: Int) {
        do { try setValue(value, forKey: key) } catch { context.keep(error, at: (file, line)) }
    }

    /// Stores a value that its attribute accepted. An equal value is no change.
    final func set(_ value: Value, attribute property: ResolvedProperty) throws {
        // A hook of reading must not read.
        if property.isTransient, context.hooked === self { return setTransient(property, to: value) }
        try requireWritable(property.name)
        if property.isTransient { return setTransient(property, to: value) }
        try setColumn(property.slot, to: value)
    }

    /// Sets a column. Setting the saved value again takes the change back.
    final func setColumn(_ column: Int, to value: Value) throws {
        if let undoManager = context.undoManager {
            undoManager.record(.column(self, column, old: try self.value(ofColumn: column)))
        }
        // Reading may find that the row is gone, and make the object new.
        let snapshot = try loadedSnapshot()
        if isNew {
            edits?.set(value, at: column)
            context.noteChange(of: self, at: column)
            return
        }
        guard let snapshot else { return }
        let saved = snapshot.batch.value(snapshot.row, column)
        if saved == value || context.coordinator.names(value, saved) {
            edits?.drop(column)
        } else {
            if edits == nil { edits = ObjectEdits.none(of: entity) }
            edits?.set(value, at: column)
        }
        context.noteChange(of: self, at: column)
    }

    /// Does the same for a number, over the cells of the row.
    private func set(_ bits: UInt64, _ kind: ResolvedProperty.CellKind, at column: Int, over cells: RowCells) {
        if !cells.isNull(column), cells[column].isSameNumber(bits, kind) {
            edits?.drop(column)
            return
        }
        let edits = edits ?? ObjectEdits.none(of: entity)
        edits.set(bits, at: column)
        if self.edits == nil { self.edits = edits }
    }
}

extension UInt64 {
    /// Whether two cells hold equal numbers, in the sense of ``Value``.
    @inline(__always)
    fileprivate func isSameNumber(_ other: UInt64, _ kind: ResolvedProperty.CellKind) -> Bool {
        self == other || kind == .double && Double(bitPattern: self) == Double(bitPattern: other)
    }
}
