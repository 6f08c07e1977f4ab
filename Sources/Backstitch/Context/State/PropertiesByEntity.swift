/// A set of properties for each entity.
struct PropertiesByEntity {
    private var sets: [PropertySet] = []

    subscript(entity: Int) -> PropertySet { entity < sets.count ? sets[entity] : PropertySet() }

    mutating func insert(_ slot: Int, of entity: Int) {
        while sets.count <= entity { sets.append(PropertySet()) }
        sets[entity].insert(slot)
    }

    /// Whether the sets have no property in common.
    func isDisjoint(with other: PropertiesByEntity) -> Bool {
        zip(sets, other.sets).allSatisfy { $0.isDisjoint(with: $1) }
    }
}
