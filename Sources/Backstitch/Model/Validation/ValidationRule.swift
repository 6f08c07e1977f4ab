/// A condition for an object at a save: a predicate over the object with its unsaved changes.
public struct ValidationRule: Hashable, Sendable {
    /// The rule in the format language of ``FetchPredicate``, or as a tree.
    enum Source: Hashable, Sendable {
        case format(String)
        case predicate(FetchPredicate)
    }

    let source: Source
    /// The message for an object that breaks the rule; nil shows the rule itself.
    public let message: String?

    /// The rule in the format language.
    var text: String {
        switch source {
        case .format(let format): format
        case .predicate(let predicate): "\(predicate)"
        }
    }

    func predicate() throws -> FetchPredicate {
        switch source {
        case .format(let format): try FetchPredicate(format: format, arguments: [])
        case .predicate(let predicate): predicate
        }
    }
}

extension PropertyDescription {
    /// The property with a rule for its value. The rule is not applied to nil.
    ///
    /// ```swift
    /// .attribute("age", .integer16).validated("age BETWEEN {0, 150}")
    /// .attribute("email", .string).validated("email MATCHES '.+@.+'", message: "an e-mail address has an @")
    /// ```
    /// The error of a save lists every broken rule of every object. Batch requests and sync apply no rules. A rule that
    /// does not parse, or names a property that the entity does not have, is a fault of the model.
    public func validated(_ format: String, message: String? = nil) -> PropertyDescription {
        adding(ValidationRule(source: .format(format), message: message))
    }

    /// Does the same with a predicate value.
    ///
    /// ```swift
    /// .attribute("size", .integer64).validated(by: Key<Int>("size") >= 0)
    /// ```
    public func validated(by predicate: FetchPredicate, message: String? = nil) -> PropertyDescription {
        adding(ValidationRule(source: .predicate(predicate), message: message))
    }

    /// A to-many relationship with a limited number of objects at each save.
    ///
    /// ```swift
    /// .toMany("players", "Player", inverse: "team").counting(1...11)
    /// ```
    /// The number is checked for new objects, and for others if the relationship has changed.
    public func counting(_ range: ClosedRange<Int>) -> PropertyDescription {
        guard case .relationship(var relationship) = self else { return self }
        relationship.countRange = range
        return .relationship(relationship)
    }

    private func adding(_ rule: ValidationRule) -> PropertyDescription {
        switch self {
        case .attribute(var attribute):
            attribute.validationRules.append(rule)
            return .attribute(attribute)
        case .relationship(var relationship):
            relationship.validationRules.append(rule)
            return .relationship(relationship)
        }
    }
}

extension EntityDescription {
    /// The entity with a rule between its properties; see ``PropertyDescription/validated(_:message:)``.
    ///
    /// ```swift
    /// EntityDescription("Event", [.attribute("begins", .date), .attribute("ends", .date)])
    ///     .validated("ends == nil OR ends >= begins", message: "an event ends after it began")
    /// ```
    public func validated(_ format: String, message: String? = nil) -> EntityDescription {
        var entity = self
        entity.validationRules.append(ValidationRule(source: .format(format), message: message))
        return entity
    }
}
