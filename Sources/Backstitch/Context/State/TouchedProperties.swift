/// The properties that changed in a turn of a context, for results that depend on related objects; noted once there are
/// such results (``ChangeNotifier/tracksProperties``).
///
/// Entities are identified by ``ResolvedEntity/linkIndex``: all of a family have one layout.
struct TouchedProperties {
    /// Properties that were set here, or whose links changed here.
    var own = PropertiesByEntity()
    /// Relationships whose links changed here from their other ends, of objects that are not in memory.
    var unheld = PropertiesByEntity()
    /// Properties that others changed.
    private(set) var foreign = PropertiesByEntity()
    /// Entities of which others changed something, and nobody can tell what.
    private(set) var unknown = PropertySet()
    /// Entities with objects that came from elsewhere.
    private(set) var arrived = PropertySet()
    /// Entities with objects that others deleted.
    private(set) var gone = PropertySet()
    /// Entities with objects that were deleted here, or whose deletion was taken back: relationships show them no
    /// longer, or again.
    var hidden = PropertySet()

    /// Notes what others did.
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

    /// Notes a link end.
    mutating func note(_ end: LinkEnd, isHeld: Bool) {
        if isHeld { own.insert(end.slot, of: end.entityIndex) } else { unheld.insert(end.slot, of: end.entityIndex) }
    }

    /// The names of the changed properties by entity, without the entities of which they are not known.
    func names(in model: ResolvedModel) -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        for entity in model.entities where !unknown.contains(entity.linkIndex) {
            var slots = own[entity.linkIndex]
            slots.formUnion(foreign[entity.linkIndex])
            if slots.isEmpty { continue }
            names[entity.name] = Set(slots.slots.filter(entity.owns).map { entity.properties[$0].name })
        }
        return names
    }
}

extension ResolvedModel {
    /// The entities of objects, each once.
    fileprivate func entities(of ids: [ObjectID]) -> [ResolvedEntity] {
        var names: Set<String> = []
        var last: String?
        // Identities mostly come entity by entity.
        for id in ids where id.entityName != last {
            last = id.entityName
            names.insert(id.entityName)
        }
        return names.compactMap { entity(named: $0) }
    }
}
