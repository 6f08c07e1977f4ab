/// The effect of a change on results: from one snapshot to the next.
public struct ResultDifference: Hashable, Sendable {
    /// A section that came or went. Where the order takes several names for equal, a section that gets another first
    /// object may get another name: it goes then, one with the new name comes, and its objects move there.
    public enum SectionChange: Hashable, Sendable {
        /// The section with this name is new at this place.
        case inserted(name: String, at: Int)
        /// The section with this name is gone from this place.
        case deleted(name: String, at: Int)
    }

    /// The change of an object. Old places are those before the change, new ones those after it.
    public enum ObjectChange: Hashable, Sendable {
        /// It is among the results now.
        case inserted(ObjectID, at: ResultPosition)
        /// It is no longer among the results: deleted, or no longer allowed by the predicate.
        case deleted(ObjectID, at: ResultPosition)
        /// Its values changed, but none that determine its place.
        case updated(ObjectID, at: ResultPosition)
        /// Values that determine its place changed, or its section; a move is not told as an update as well.
        case moved(ObjectID, from: ResultPosition, to: ResultPosition)
    }

    /// The results before.
    public let before: ResultSnapshot
    /// The results after.
    public let after: ResultSnapshot
    /// Sections that went, from the last, then those that came, from the first.
    public let sections: [SectionChange]
    /// Objects that went, from the last place, then those that came, moved and changed, from the first.
    public let objects: [ObjectChange]

    /// Whether nothing came, went, moved or changed.
    public var isEmpty: Bool { sections.isEmpty && objects.isEmpty }

    /// Compares two snapshots.
    ///
    /// - Parameters:
    ///   - touched: Objects whose values may have changed.
    ///   - moved: Objects whose sort values changed. Those whose section has another name are found here.
    init(from before: ResultSnapshot, to after: ResultSnapshot, touched: Set<ObjectKey>, moved: Set<ObjectKey>) {
        self.before = before
        self.after = after
        sections = Self.sectionChanges(before, after)
        let old = before.positions, new = after.positions
        let oldNames = before.sections.map(\.nameBytes), newNames = after.sections.map(\.nameBytes)
        var objects: [ObjectChange] = before.items.reversed().compactMap { id in
            new[id] == nil ? old[id].map { .deleted(id, at: $0) } : nil
        }
        for id in after.items {
            guard let position = new[id] else { continue }
            if let origin = old[id] {
                if moved.contains(id.key) || oldNames[origin.section] != newNames[position.section] {
                    objects.append(.moved(id, from: origin, to: position))
                } else if touched.contains(id.key) {
                    objects.append(.updated(id, at: origin))
                }
            } else {
                objects.append(.inserted(id, at: position))
            }
        }
        self.objects = objects
    }

    private static func sectionChanges(_ before: ResultSnapshot, _ after: ResultSnapshot) -> [SectionChange] {
        let old = Set(before.sections.map(\.nameBytes)), new = Set(after.sections.map(\.nameBytes))
        return before.sections.enumerated().reversed().filter { !new.contains($0.element.nameBytes) }
            .map { SectionChange.deleted(name: $0.element.name, at: $0.offset) }
            + after.sections.enumerated().filter { !old.contains($0.element.nameBytes) }
            .map { SectionChange.inserted(name: $0.element.name, at: $0.offset) }
    }
}
