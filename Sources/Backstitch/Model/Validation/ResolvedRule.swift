/// A rule of an entity, checked against the model.
struct ResolvedRule: Sendable {
    /// The property under the rule; nil for a rule of the whole object.
    let property: ResolvedProperty?
    let predicate: FetchPredicate
    let message: String?
    /// The text of the rule, as the program gave it.
    let rule: String
    /// The first names of the rule's paths from the object.
    let names: Set<String>

    /// Returns the fault of an object by this rule; nil if it satisfies the rule.
    func fault(of object: ManagedObject) throws -> BackstitchError? {
        let value = try property.map { try object.predicateValue($0) }
        if value?.isNull == true { return nil }
        if try predicate.evaluate(object) { return nil }
        let subject = try value.map { "\(property?.name ?? "") is \($0.summary)" } ?? judgedValues(of: object)
        let explanation = message.map { "\($0) (rule: \(rule))" } ?? "the rule is \(rule)"
        return BackstitchError(
            .validation, "\(object.objectID): \(subject), but \(explanation)", objectID: object.objectID,
            key: property?.name)
    }

    /// The object's own values used by a rule between properties, for the message.
    private func judgedValues(of object: ManagedObject) throws -> String {
        let values = try object.entity.ownProperties.filter { property in
            names.contains(property.name) && property.slot < object.entity.columnCount
        }.map { "\($0.name) is \(try object.predicateValue($0).summary)" }
        return values.isEmpty ? "the object is not valid" : values.joined(separator: ", ")
    }
}

extension ResolvedModel {
    /// Resolves the rules of each entity, by index.
    ///
    /// - Parameter faults: Receives the faults of rules, each by name.
    func resolveRules(_ faults: inout [BackstitchError]) -> [[ResolvedRule]] {
        entities.map { entity in
            var rules: [ResolvedRule] = []
            func add(_ rule: ValidationRule, _ property: ResolvedProperty?) {
                do {
                    let given = try rule.predicate()
                    let predicate = try given.resolved(for: entity, in: self)
                    rules.append(
                        ResolvedRule(
                            property: property, predicate: predicate, message: rule.message, rule: rule.text,
                            names: given.firstNames))
                } catch {
                    let path = property.map { "\(entity.name).\($0.name)" } ?? entity.name
                    faults.append(
                        BackstitchError(
                            .invalidModel, "\(path) has an invalid rule: \(error)", key: path, cause: error))
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
