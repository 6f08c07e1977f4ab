extension PersistentHistoryTransaction {
    /// The model of history for predicates: `author`, `contextName`, `number`, `timestamp`, and `changes` with
    /// `entityName`, `kind` and `objectID`.
    static let model = Result {
        try ResolvedModel(
            ManagedObjectModel([
                EntityDescription(
                    "PersistentHistoryTransaction",
                    [
                        .attribute("number", .integer64), .attribute("timestamp", .date), .attribute("author", .string),
                        .attribute("contextName", .string),
                        .toMany("changes", "PersistentHistoryChange", inverse: "transaction"),
                    ]),
                EntityDescription(
                    "PersistentHistoryChange",
                    [
                        .attribute("entityName", .string), .attribute("kind", .string), .attribute("objectID", .uuid),
                        .toOne("transaction", "PersistentHistoryTransaction", inverse: "changes"),
                    ]),
            ]))
    }
}

extension PersistentHistoryTransaction: PredicateSubject {
    /// An identity made from the number, since transactions are no objects.
    public var objectID: ObjectID {
        ObjectID(entityName: "PersistentHistoryTransaction", key: ObjectKey(high: 0, low: UInt64(bitPattern: number)))
    }

    /// Returns number, timestamp, author or context name.
    public func predicateValue(_ property: ResolvedProperty) -> Value {
        switch property.name {
        case "number": .int(number)
        case "timestamp": .date(timestamp)
        case "author": author.map(Value.string) ?? .null
        default: contextName.map(Value.string) ?? .null
        }
    }

    /// Returns the changes of the transaction.
    public func predicateDestinations(_ property: ResolvedProperty) -> [any PredicateSubject] { changes }
}

extension PersistentHistoryChange: PredicateSubject {
    /// Returns entity name, kind, or the object's key.
    public func predicateValue(_ property: ResolvedProperty) -> Value {
        switch property.name {
        case "entityName": .string(objectID.entityName)
        case "kind": .string(kind.rawValue)
        default: .uuid(objectID.key.uuid)
        }
    }

    /// Returns nothing: a change does not know its transaction.
    public func predicateDestinations(_ property: ResolvedProperty) -> [any PredicateSubject] { [] }
}
