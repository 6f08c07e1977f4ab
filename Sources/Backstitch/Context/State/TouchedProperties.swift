/// The properties that changed in a turn of a context. Results that depend on related objects need them. They are noted
/// once there are such results (``ChangeNotifier/tracksProperties``).
///
/// Entities are identified by ``ResolvedEntity/linkIndex``, because all entities of a family have one layout.
struct TouchedProperties {
    /// Properties with new values or changed links, made here.
    var own = PropertiesByEntity()
    /// Relationships with links changed here from the other end. Their own objects are not in memory.
    var unheld = PropertiesByEntity()
    /// Properties that were changed elsewhere.
    private(set) var foreign = PropertiesByEntity()
    /// Entities with changes made elsewhere to unknown properties.
    private(set) var unknown = PropertySet()
    /// Entities with objects that were inserted elsewhere.
    private(set) var arrived = PropertySet()
    /// Entities with objects that were deleted elsewhere.
    private(set) var gone = PropertySet()
    /// Entities with deletions made here, or taken back here. Relationships hide the deleted objects, or show them
    /// again.
    var hidden = PropertySet()

    /// Notes changes that were made elsewhere.
    mutating func note(_ changes: StoreChanges, in model: ResolvedModel) {
        for entity in model.entities(of: changes.inserted) { arrived.insert(entity.linkIndex) }
        for entity in model.entities(of: changes.deleted) { gone.insert(entity.linkIndex) }
        for entity in model.entities(of: changes.updated) {
            guard let names = changes.changedProperties?[entity.name] else {
                unknown.insert(entity.linkIndex)
                continue
            }
            for name in names {
                if let property = entity.property(named: name) {
                    foreign.insert(property.slot, of: entity.linkIndex)
                } else {
                    unknown.insert(entity.linkIndex)
                }
            }
        }
    }

    /// Notes that any property of an object may have changed.
    mutating func noteRefresh(of object: ManagedObject) { unknown.insert(object.entity.linkIndex) }

    /// Notes that the links at an end changed.
    mutating func note(_ end: LinkEnd, isHeld: Bool) {
        if isHeld { own.insert(end.slot, of: end.entityIndex) } else { unheld.insert(end.slot, of: end.entityIndex) }
    }

    /// The names of the changed properties by entity, without entities whose changed properties are unknown.
    ///
    /// An object that was deleted elsewhere is an updated object here if it has unsaved changes. It has lost its stored
    /// links, and it gets them back if the object is inserted again elsewhere.
    func names(in model: ResolvedModel) -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        let isUnknown = { index in [unknown, arrived, gone].contains { $0.contains(index) } }
        for entity in model.entities where !isUnknown(entity.linkIndex) {
            var slots = own[entity.linkIndex]
            slots.formUnion(foreign[entity.linkIndex])
            if slots.isEmpty { continue }
            names[entity.name] = Set(slots.slots.filter(entity.owns).map { entity.properties[$0].name })
        }
        return names
    }
}

extension ResolvedModel {
    /// Returns the entities of objects, each once.
    fileprivate func entities(of ids: [ObjectID]) -> [ResolvedEntity] {
        var names: Set<String> = []
        var last: String?
        // Identities mostly arrive entity by entity.
        for id in ids where id.entityName != last {
            last = id.entityName
            names.insert(id.entityName)
        }
        return names.compactMap { entity(named: $0) }
    }
}
