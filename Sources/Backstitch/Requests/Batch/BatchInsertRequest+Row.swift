extension BatchInsertRequest {
    /// The values of an object to be inserted.
    public struct Row {
        /// The identity; nil for a new one.
        public var objectID: ObjectID?
        private let entity: ResolvedEntity
        /// The defaults, and over them the values that need no second look.
        private var cells: ObjectEdits
        /// The columns that were set among ``cells``.
        private var given = PropertySet()
        /// The other values that were given, by name; they take precedence over ``cells``.
        private(set) var others: [String: Value] = [:]

        init(of entity: ResolvedEntity) {
            self.entity = entity
            cells = .defaults(of: entity)
        }

        /// The values by the names of attributes and to-one relationships. Setting them leaves the identity as it is.
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

        /// The value of that name; null when it was not given.
        public subscript(name: String) -> Value {
            get {
                if let value = others[name] { return value }
                return entity.slot(of: name).flatMap { given.contains($0) ? cells[$0] : nil } ?? .null
            }
            set { set(name, newValue) }
        }

        /// Gives a property a value of a Swift type.
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
            // Somebody may have kept a copy of the row.
            if !isKnownUniquelyReferenced(&cells) { cells = cells.copy() }
        }

        /// The first of these columns that was given no value and has none by default; nil where all have one.
        func nameWithoutValue(among required: PropertySet) -> String? {
            if others.isEmpty, cells.hasAll(required) { return nil }
            return required.slots.first { slot in
                (others.first { entity.slot(of: $0.key) == slot }?.value ?? cells[slot] ?? .null).isNull
            }.map { entity.properties[$0].name }
        }

        /// Some of what was given, for messages.
        var summary: String {
            let values = values.sorted { $0.key < $1.key }
            let shown = values.prefix(3).map { "\($0.key) is \($0.value.summary)" }.joined(separator: ", ")
            return values.isEmpty ? "nothing was given" : shown + (values.count > 3 ? ", …" : "")
        }

        /// Forgets all that was given.
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

        /// Appends what was given, the rest as it is by default; ``others`` as `columns` have them.
        func append(key: ObjectKey, _ columns: [(slot: Int, value: Value)], to builder: inout RowBatchBuilder) {
            if columns.isEmpty { return cells.appendRow(key: key, to: &builder) }
            let all = cells.copy()
            for (slot, value) in columns { all.set(value, at: slot) }
            all.appendRow(key: key, to: &builder)
        }
    }
}
