/// A rule of an entity, checked against the model.
struct ResolvedRule: Sendable {
    /// The property that it is about; nil when it is about the object.
    let property: ResolvedProperty?
    let predicate: FetchPredicate
    let message: String?

    /// What is wrong with an object by this rule; nil when nothing is.
    func fault(of object: ManagedObject) throws -> BackstitchError? {
        let value = try property.map { try object.predicateValue($0) }
        if value?.isNull == true { return nil }
        if try predicate.evaluate(object) { return nil }
        let subject = value.map { "\(property?.name ?? "") is \($0.summary)" } ?? "it is not valid"
        return BackstitchError(
            .validation, "\(object.objectID): \(subject), but \(message ?? "\(predicate)")", objectID: object.objectID,
            key: property?.name)
    }
}

extension ResolvedModel {
    /// The rules of each entity, by index.
    ///
    /// - Parameter faults: Takes what is wrong with rules, by name.
    func resolveRules(_ faults: inout [BackstitchError]) -> [[ResolvedRule]] {
        entities.map { entity in
            var rules: [ResolvedRule] = []
            func add(_ rule: ValidationRule, _ property: ResolvedProperty?) {
                do {
                    let predicate = try rule.predicate().resolved(for: entity, in: self)
                    rules.append(ResolvedRule(property: property, predicate: predicate, message: rule.message))
                } catch {
                    let path = property.map { "\(entity.name).\($0.name)" } ?? entity.name
                    faults.append(
                        BackstitchError(
                            .invalidModel, "\(path) has a rule that is none: \(error)", key: path, cause: error))
                }
            }
            for property in entity.ownProperties {
                let described =
                    property.attribute?.validationRules ?? property.relationship?.description.validationRules
                for rule in described ?? [] { add(rule, property) }
            }
            for name in [entity.name] + entity.lineage {
                for rule in model.entities.first(where: { $0.name == name })?.validationRules ?? [] { add(rule, nil) }
            }
            return rules
        }
    }
}
