/// The effect of a change on results: from one snapshot to the next.
public struct ResultDifference: Hashable, Sendable {
    /// A section that was added or removed. The order may treat several names as equal. If such a section gets another
    /// first object, it may get another name. The old section is then removed, one with the new name is added, and the
    /// objects move there.
    public enum SectionChange: Hashable, Sendable {
        /// The section with this name is new at this place.
        case inserted(name: String, at: Int)
        /// The section with this name is gone from this place.
        case deleted(name: String, at: Int)
    }

    /// The change of an object. Old places are places before the change, new ones are places after it.
    public enum ObjectChange: Hashable, Sendable {
        /// It is among the results now.
        case inserted(ObjectID, at: ResultPosition)
        /// It is no longer among the results: deleted, or no longer allowed by the predicate.
        case deleted(ObjectID, at: ResultPosition)
        /// Its values changed, but no value that determines its place.
        case updated(ObjectID, at: ResultPosition)
        /// Its section changed, or a value that determines its place. A move is not reported as an update as well.
        case moved(ObjectID, from: ResultPosition, to: ResultPosition)
    }

    /// The results before the change.
    public let before: ResultSnapshot
    /// The results after the change.
    public let after: ResultSnapshot
    /// Removed sections, from the last one, then added sections, from the first one.
    public let sections: [SectionChange]
    /// Removed objects, from the last place, then added, moved and changed objects, from the first place.
    public let objects: [ObjectChange]

    /// Whether nothing was added, removed, moved or changed.
    public var isEmpty: Bool { sections.isEmpty && objects.isEmpty }

    /// Creates the difference between two snapshots.
    ///
    /// - Parameter touched: Objects whose values may have changed.
    /// - Parameter moved: Objects whose sort values changed. Objects in a section of another name are found here.
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
