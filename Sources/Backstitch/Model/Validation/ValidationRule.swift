/// A condition that an object must satisfy to be saved: a predicate that sees the object with its unsaved changes.
public struct ValidationRule: Hashable, Sendable {
    /// The rule in the format language of ``FetchPredicate``, or as a tree.
    enum Source: Hashable, Sendable {
        case format(String)
        case predicate(FetchPredicate)
    }

    let source: Source
    /// The message for an object that breaks the rule; nil to show the rule itself.
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
    /// The property with a rule for its value, which is not asked while it is nil.
    ///
    /// ```swift
    /// .attribute("age", .integer16).validated("age BETWEEN {0, 150}")
    /// .attribute("email", .string).validated("email MATCHES '.+@.+'", message: "an e-mail address has an @")
    /// ```
    /// A save tells every rule that is broken, of every object, in one error. Batch requests and syncs ask no rules. A
    /// rule that does not parse, or names what the entity does not have, is a fault of the model.
    public func validated(_ format: String, message: String? = nil) -> PropertyDescription {
        adding(ValidationRule(source: .format(format), message: message))
    }

    /// The same with a predicate.
    ///
    /// ```swift
    /// .attribute("size", .integer64).validated(by: Key<Int>("size") >= 0)
    /// ```
    public func validated(by predicate: FetchPredicate, message: String? = nil) -> PropertyDescription {
        adding(ValidationRule(source: .predicate(predicate), message: message))
    }

    /// A to-many relationship that has so many objects whenever its object is saved.
    ///
    /// ```swift
    /// .toMany("players", "Player", inverse: "team").counting(1...11)
    /// ```
    /// The count is asked of new objects, and of others when the relationship has changed.
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
