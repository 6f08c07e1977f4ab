/// An object that is held by another one, because a to-one relationship led to it.
struct HeldTarget {
    /// The slot of the relationship in its entity.
    let slot: Int
    let object: ManagedObject
}

extension ManagedObject {
    /// Keeps the object at the far end of a to-one relationship in memory, until this object goes or leads elsewhere.
    /// The next object that leads to it then finds it made, whether or not the program holds it.
    ///
    /// Relationships that may lead back to this object are left out, because they would keep both objects for ever.
    final func holdTarget(_ target: ManagedObject, of property: ResolvedProperty) {
        guard property.relationship?.mayLeadBack == false else { return }
        if let place = heldTargets.firstIndex(where: { $0.slot == property.slot }) {
            if heldTargets[place].object !== target {
                heldTargets[place] = HeldTarget(slot: property.slot, object: target)
            }
        } else {
            heldTargets.append(HeldTarget(slot: property.slot, object: target))
        }
    }
}
