extension BatchInsertRequest {
    /// The values of a new object.
    public struct Row {
        /// The identity. If it is nil, the natural key gives one, or else a new one is made.
        public var objectID: ObjectID?
        private let entity: ResolvedEntity
        /// The defaults, overwritten by given values that need no check.
        private var cells: ObjectEdits
        /// The columns of ``cells`` with a given value.
        private var given = PropertySet()
        /// The other given values, by name; they take precedence over ``cells``.
        private(set) var others: [String: Value] = [:]

        init(of entity: ResolvedEntity) {
            self.entity = entity
            cells = .defaults(of: entity)
        }

        /// The given values by the names of attributes and to-one relationships. Setting them keeps the identity.
        public var values: [String: Value] {
            get {
                var values: [String: Value] = [:]
                for slot in given.slots { values[entity.properties[slot].name] = cells[slot] }
                return values.merging(others) { $1 }
            }
            set {
                clearValues()
                others = newValue
            }
        }

        /// The given value of this name; null if none was given.
        public subscript(name: String) -> Value {
            get {
                if let value = others[name] { return value }
                return entity.slot(of: name).flatMap { given.contains($0) ? cells[$0] : nil } ?? .null
            }
            set { set(name, newValue) }
        }

        /// Sets a property to a value of a Swift type.
        public mutating func set<T: AttributeValue>(_ name: String, to value: T) {
            guard let bits = value.numberBits, let slot = entity.slot(of: name),
                entity.plainColumns[slot].takes(bits, T.numberKind)
            else { return set(name, value.attributeValue) }
            note(name, slot)
            cells.set(bits, at: slot)
        }

        private mutating func set(_ name: String, _ value: Value) {
            guard let slot = entity.slot(of: name), let kind = entity.properties[slot].plainKind, value.isPlain(kind)
            else { return others[name] = value }
            note(name, slot)
            cells.set(value, at: slot)
        }

        private mutating func note(_ name: String, _ slot: Int) {
            if !others.isEmpty { others[name] = nil }
            given.insert(slot)
            // The program may have kept a copy of the row, which must not change.
            if !isKnownUniquelyReferenced(&cells) { cells = cells.copy() }
        }

        /// The name of the first of these columns without a given value or a default; nil if all have one.
        func nameWithoutValue(among required: PropertySet) -> String? {
            if others.isEmpty, cells.hasAll(required) { return nil }
            return required.slots.first { slot in
                (others.first { entity.slot(of: $0.key) == slot }?.value ?? cells[slot] ?? .null).isNull
            }.map { entity.properties[$0].name }
        }

        /// Up to three of the given values, for messages.
        var summary: String {
            let values = values.sorted { $0.key < $1.key }
            let shown = values.prefix(3).map { "\($0.key) is \($0.value.summary)" }.joined(separator: ", ")
            return values.isEmpty ? "nothing was given" : shown + (values.count > 3 ? ", …" : "")
        }

        /// Removes all given values, and the identity.
        mutating func clear() {
            objectID = nil
            clearValues()
        }

        private mutating func clearValues() {
            if !others.isEmpty { others.removeAll(keepingCapacity: true) }
            guard !given.isEmpty else { return }
            given = PropertySet()
            if isKnownUniquelyReferenced(&cells) { cells.reset() } else { cells = .defaults(of: entity) }
        }

        /// Appends the given values as a row, with defaults for the rest. `columns` has the checked form of ``others``.
        func append(key: ObjectKey, _ columns: [(slot: Int, value: Value)], to builder: inout RowBatchBuilder) {
            if columns.isEmpty { return cells.appendRow(key: key, to: &builder) }
            let all = cells.copy()
            for (slot, value) in columns { all.set(value, at: slot) }
            all.appendRow(key: key, to: &builder)
        }
    }
}
