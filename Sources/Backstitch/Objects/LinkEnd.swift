/// One end of a relationship: a relationship of one object.
struct LinkEnd: Hashable {
    let entityIndex: Int
    let slot: Int
    let key: ObjectKey

    init(_ object: ManagedObject, _ property: ResolvedProperty) {
        self.init(entityIndex: object.entity.linkIndex, slot: property.slot, key: object.key)
    }

    /// The far end of `relationship` at the object with `key`.
    init(_ key: ObjectKey, _ inverse: ResolvedProperty, _ relationship: ResolvedRelationship) {
        self.init(entityIndex: relationship.destinationRootIndex, slot: inverse.slot, key: key)
    }

    init(entityIndex: Int, slot: Int, key: ObjectKey) {
        self.entityIndex = entityIndex
        self.slot = slot
        self.key = key
    }
}
