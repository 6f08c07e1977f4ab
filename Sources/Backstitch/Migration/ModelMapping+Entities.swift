extension ModelMapping {
    mutating func compareEntity(_ index: Int) {
        let entity = new.entities[index]
        guard let origin = origin(of: entity) else {
            steps.append(MigrationPlan.Step("entity \(entity.name) is added", entity: entity.name))
            return
        }
        if origin.name != entity.name {
            steps.append(MigrationPlan.Step("entity \(origin.name) becomes \(entity.name)", entity: entity.name))
        }
        compareParents(of: entity, origin)
        for property in declared(by: entity, in: new) where !property.isTransient {
            let before = self.origin(of: property, for: entity) ?? self.origin(of: property, in: entity)
            if let before, before.name != property.name {
                note(property, entity, "\(entity.name).\(before.name) becomes \(entity.name).\(property.name)")
            }
            if let attribute = property.attribute {
                compare(attribute, before?.attribute, property, entity)
            } else if let relationship = property.relationship {
                compare(relationship, before?.relationship, property, entity)
            }
        }
        requireInherited(of: entity)
        compareConstraints(of: entity, origin)
        tellRemoved(of: entity, origin)
    }

    private mutating func tellRemoved(of entity: ResolvedEntity, _ origin: ResolvedEntity) {
        let moved = moves.filter { $0.entity === entity }.map(\.source.slot)
        let kept = Set(propertyOrigins[entity.tableIndex].compactMap { $0 } + moved)
        for property in origin.ownProperties where !entity.isAbstract && kept.contains(property.slot) {
            if successor(of: property, for: origin) == nil { tellRemoved(property, of: entity) }
        }
        for property in declared(by: origin, in: old) where !kept.contains(property.slot) {
            // If its name passed to another property of its kind, its change was reported with that property.
            if demand == .partial, entity.property(named: property.name)?.attribute != nil, property.attribute != nil {
                continue
            }
            tellRemoved(property, of: entity)
        }
    }

    private mutating func tellRemoved(_ property: ResolvedProperty, of entity: ResolvedEntity) {
        let content = property.attribute == nil ? "links" : "values"
        note(
            property, entity, losesData: true, "\(entity.name).\(property.name) is removed, with its \(content)")
    }

    /// The properties of an entity without its inherited ones.
    private func declared(by entity: ResolvedEntity, in model: ResolvedModel) -> [ResolvedProperty] {
        let inherited = entity.lineage.first.flatMap(model.entity(named:))?.ownProperties.map(\.name) ?? []
        return entity.ownProperties.filter { !inherited.contains($0.name) }
    }

    /// Reports attributes that only relatives had before: the entity's objects have no value for them yet.
    private mutating func requireInherited(of entity: ResolvedEntity) {
        for property in entity.ownProperties where !entity.isAbstract && property.attribute?.isOptional == false {
            guard property.attribute?.defaultValue.isNull == true, origin(of: property, in: entity) != nil,
                origin(of: property, for: entity) == nil
            else { continue }
            needCode(
                property, entity, "\(entity.name).\(property.name) is new and required, and has no default")
        }
    }

    private mutating func compareParents(of entity: ResolvedEntity, _ origin: ResolvedEntity) {
        let parent = entity.lineage.first.flatMap(new.entity(named:))
        let before = origin.lineage.first.flatMap(old.entity(named:))
        guard parent.map({ entityOrigins[$0.index] }) != before.map({ $0.index }) else { return }
        let text = parent.map { "\(entity.name) is a kind of \($0.name) now" } ?? "\(entity.name) has no parent now"
        steps.append(MigrationPlan.Step(text, entity: entity.name))
    }

    private mutating func compareConstraints(of entity: ResolvedEntity, _ origin: ResolvedEntity) {
        func names(_ constraints: [[Int]], _ name: (Int) -> String?) -> Set<String> {
            Set(constraints.map { $0.compactMap(name).joined(separator: ", ") })
        }
        let now = names(entity.uniquenessConstraints) { entity.properties[$0].name }
        let before = names(origin.uniquenessConstraints) { slot in
            successor(of: origin.properties[slot], in: origin)?.name ?? "(\(origin.properties[slot].name))"
        }
        for constraint in now.subtracting(before).sorted() {
            steps.append(
                MigrationPlan.Step(
                    "no two \(entity.name) may have the same \(constraint) now; if some have, nothing is migrated",
                    entity: entity.name))
        }
        for constraint in before.subtracting(now).sorted() {
            steps.append(
                MigrationPlan.Step("several \(entity.name) may have the same \(constraint) now", entity: entity.name))
        }
    }

    private mutating func compare(
        _ attribute: AttributeDescription, _ before: AttributeDescription?, _ property: ResolvedProperty,
        _ entity: ResolvedEntity
    ) {
        let path = "\(entity.name).\(property.name)"
        guard let before, isSameKind(attribute, before, property, entity) else {
            compareNew(attribute, property, entity)
            return
        }
        if before.isOptional, !attribute.isOptional {
            if attribute.defaultValue.isNull {
                needCode(property, entity, "\(path) is required now, and has no default for objects without a value")
            } else {
                note(
                    property, entity,
                    "\(path) is required now; objects without a value get \(attribute.defaultValue.summary)")
            }
        } else if !before.isOptional, attribute.isOptional {
            note(property, entity, "\(path) is optional now")
        }
    }

    /// Whether the stored values stay as they are; if not, the attribute counts as a new one.
    private mutating func isSameKind(
        _ attribute: AttributeDescription, _ before: AttributeDescription, _ property: ResolvedProperty,
        _ entity: ResolvedEntity
    ) -> Bool {
        let path = "\(entity.name).\(property.name)"
        if attribute.type == before.type {
            if attribute.allowsExternalStorage != before.allowsExternalStorage {
                note(property, entity, "\(path) was kept \(before.place), and is kept \(attribute.place) now")
            }
            return true
        }
        let change = "\(path) was \(before.type), and is \(attribute.type) now"
        if attribute.type.widens(before.type) {
            note(property, entity, change + "; its values stay")
            return true
        }
        needCode(property, entity, change)
        if demand == .partial {
            propertyOrigins[entity.tableIndex][property.slot] = nil
            note(property, entity, change + "; the stage's code gives the values")
        }
        return false
    }

    private mutating func compareNew(
        _ attribute: AttributeDescription, _ property: ResolvedProperty, _ entity: ResolvedEntity
    ) {
        let path = "\(entity.name).\(property.name)"
        // A change of type was already reported.
        let isNew = propertyOrigins[entity.tableIndex][property.slot] == nil
        if attribute.defaultValue.isNull {
            if !attribute.isOptional, isNew {
                needCode(property, entity, "\(path) is new and required, and has no default")
            }
            if isNew { note(property, entity, "\(path) is added, empty") }
        } else if isNew {
            note(property, entity, "\(path) is added; every object gets \(attribute.defaultValue.summary)")
        }
    }

    mutating func note(
        _ property: ResolvedProperty, _ entity: ResolvedEntity, losesData: Bool = false, _ text: String
    ) {
        steps.append(MigrationPlan.Step(text, entity: entity.name, property: property.name, losesData: losesData))
    }

    /// Reports a change that cannot be inferred from the models.
    mutating func needCode(_ property: ResolvedProperty, _ entity: ResolvedEntity, _ text: String) {
        guard demand == .complete else { return }
        faults.append(BackstitchError(.modelMismatch, text, key: "\(entity.name).\(property.name)"))
    }
}

extension AttributeType {
    /// Whether the type includes all values of another type, in the same cells of a row.
    fileprivate func widens(_ other: AttributeType) -> Bool {
        switch (other, self) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.float, .double): true
        default: false
        }
    }
}

extension AttributeDescription {
    fileprivate var place: String { allowsExternalStorage ? "outside the row" : "in the row" }
}
