extension ModelMapping {
    /// Makes both ends of each relationship come from the two ends of one old relationship, since links are kept once
    /// for both.
    mutating func settleRelationships() {
        var owners: [[Int]: String] = [:]
        for entity in new.entities where entity.isRoot {
            for property in entity.properties where property.relationship != nil {
                settle(property, of: entity, owners: &owners)
            }
        }
    }

    private mutating func settle(
        _ property: ResolvedProperty, of entity: ResolvedEntity, owners: inout [[Int]: String]
    ) {
        guard let relationship = property.relationship,
            let source = tableOrigin(of: entity), let slot = propertyOrigins[entity.index][property.slot],
            let before = source.properties[slot].relationship
        else { return }
        let path = "\(entity.name).\(property.name)"
        let destination = new.destination(of: relationship)
        guard tableOrigins[destination.index] == old.entities[before.destinationIndex].tableIndex else {
            propertyOrigins[entity.index][property.slot] = nil
            // It still leads to the same entity, but to another family. That fault is reported separately.
            guard entityOrigins[destination.index] != before.destinationIndex else { return }
            needCode(
                property, entity,
                "\(path) led to \(before.description.destination), and leads to \(destination.name) now; remove it, "
                    + "and add the other under another name")
            return
        }
        let inverse = propertyOrigins[destination.tableIndex][relationship.inverseSlot]
        guard inverse == nil || inverse == before.inverseSlot else {
            needCode(
                property, entity,
                "\(path) and its inverse \(destination.name).\(relationship.description.inverse) were no inverses of "
                    + "each other")
            propertyOrigins[entity.index][property.slot] = nil
            return
        }
        propertyOrigins[destination.tableIndex][relationship.inverseSlot] = before.inverseSlot
        let far = old.entities[before.destinationIndex].tableIndex
        let farPath = "\(new.entities[destination.tableIndex].name).\(relationship.description.inverse)"
        for end in [[source.index, slot], [far, before.inverseSlot]] {
            let name = end == [source.index, slot] ? path : farPath
            guard let owner = owners[end], owner != name else {
                owners[end] = name
                continue
            }
            needCode(property, entity, "\(owner) and \(name) come from the same relationship")
            propertyOrigins[entity.index][property.slot] = nil
        }
    }

    mutating func compare(
        _ relationship: ResolvedRelationship, _ before: ResolvedRelationship?, _ property: ResolvedProperty,
        _ entity: ResolvedEntity
    ) {
        let path = "\(entity.name).\(property.name)"
        guard let before else {
            note(property, entity, "\(path) is added, without links")
            return
        }
        switch (before.isToMany, relationship.isToMany) {
        case (true, false):
            note(
                property, entity, losesData: true,
                "\(path) leads to one object now: if there are several, the one that was made first stays")
        case (false, true): note(property, entity, "\(path) leads to any number of objects now")
        default: break
        }
        guard !before.isToMany, !relationship.isToMany else { return }
        if before.description.isOptional, !relationship.description.isOptional {
            note(property, entity, "\(path) is required now; objects without one are refused when they are next saved")
        } else if !before.description.isOptional, relationship.description.isOptional {
            note(property, entity, "\(path) is optional now")
        }
    }
}
