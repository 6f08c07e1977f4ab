/// Results by section and identity. They are free to cross threads, and easy to compare.
public struct ResultSnapshot: Hashable, Sendable {
    /// A run of results whose sections are equal in the order.
    public struct Section: Hashable, Sendable {
        /// The name. If the order treats several names as equal, it is the first object's. Empty if results have no
        /// sections, or the object has no value.
        public var name: String
        /// The objects, in order.
        public var items: [ObjectID]

        /// Creates a section with a name and objects.
        public init(name: String, items: [ObjectID]) {
            self.name = name
            self.items = items
        }
    }

    /// The sections, in order; none when there are no results.
    public var sections: [Section]

    /// Creates results with these sections.
    public init(sections: [Section]) { self.sections = sections }

    /// All objects, in order.
    public var items: [ObjectID] { sections.flatMap(\.items) }

    /// Returns the identity at a place; nil if there is none.
    public func identity(at position: ResultPosition) -> ObjectID? {
        guard sections.indices.contains(position.section),
            sections[position.section].items.indices.contains(position.item)
        else { return nil }
        return sections[position.section].items[position.item]
    }

    /// Returns the place of an object; nil when it is not among the results. Complexity: O(results).
    public func position(of id: ObjectID) -> ResultPosition? {
        for (section, content) in sections.enumerated() {
            if let item = content.items.firstIndex(of: id) { return ResultPosition(section: section, item: item) }
        }
        return nil
    }

    /// The places of all objects.
    var positions: [ObjectID: ResultPosition] {
        var positions: [ObjectID: ResultPosition] = [:]
        for (section, content) in sections.enumerated() {
            for (item, id) in content.items.enumerated() {
                positions[id] = ResultPosition(section: section, item: item)
            }
        }
        return positions
    }

    init<Object>(_ rows: [ResultRow<Object>], in order: ResultOrder<Object>?) {
        sections = []
        var last: ResultRow<Object>?
        for row in rows {
            let isSame = last.map { order?.isSameSection($0, row) ?? true } ?? false
            if !isSame { sections.append(Section(name: row.section, items: [])) }
            sections[sections.count - 1].items.append(row.object.objectID)
            last = row
        }
    }
}

extension ResultSnapshot.Section {
    /// The name byte by byte. Texts that differ only in the encoding of their accents are different names.
    var nameBytes: [UInt8] { Array(name.utf8) }
}
