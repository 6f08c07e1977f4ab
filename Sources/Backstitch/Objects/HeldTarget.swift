/// An object that is held by one whose to-one relationship led to it.
struct HeldTarget {
    /// The relationship.
    let slot: Int
    let object: ManagedObject
}

extension ManagedObject {
    /// Keeps the object that a to-one relationship led to in memory for as long as this one is, or leads elsewhere: the
    /// next object that leads to it then finds it made, whether or not the program holds it.
    ///
    /// Not along relationships that may lead back to this object, which would keep both for ever.
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
